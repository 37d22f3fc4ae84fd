import { Form, useNavigation } from 'react-router'
import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import type { OriginRules } from '#app/voting/election/origin-rules.ts'
import { capitalize, flagTargetName } from '#app/voting/election/tally-rules.ts'
import type { Burst, FlaggedOrigin, Leap } from '#app/voting/sealing/schema.ts'
import { annulledCount, Bursts, formatMoment } from './bursts.tsx'
import { ButtonOutcome, type IntentOutcome } from './button-outcome.tsx'
import styles from './results.module.css'
import { RulesTable } from './rules-table.tsx'

interface Props {
  flaggedOrigins: FlaggedOrigin[]
  rules: OriginRules
  annulments: { id: number; motivo: string; votos: number; at: string }[]
  isClosed: boolean
  outcome: IntentOutcome | undefined
}

/** Renders flagged origins, annulments, bursts and leaps, folded into one line while there are none. */
export function Findings({ bursts, leaps, ...flaggedProps }: Props & { bursts: Burst[]; leaps: Leap[] }) {
  const findings = (
    <>
      <FlaggedOrigins {...flaggedProps} />
      <Bursts bursts={bursts} leaps={leaps} />
    </>
  )
  const { flaggedOrigins, annulments } = flaggedProps
  if ([bursts, leaps, flaggedOrigins, annulments].some((items) => items.length > 0)) return findings
  return (
    <details className={styles.nothingFound}>
      <summary>Ningún voto marcado, ninguna ráfaga</summary>
      {findings}
    </details>
  )
}

/**
 * Renders the origins that passed a threshold, each with its time line and, while its votes may be annulled, the form for this. The
 * form states how many votes an annulment takes out of the count, but not of which candidates.
 */
function FlaggedOrigins({ flaggedOrigins, rules, annulments, isClosed, outcome }: Props) {
  return (
    <section aria-labelledby="origenes">
      <h2 id="origenes">Orígenes marcados</h2>
      <p className={styles.note}>
        Un origen es quien puede hacer correos: un dominio, un servicio de alias, una ráfaga. Cuando pasa de la regla
        publicada en el acta de cero, el sitio marca todos sus votos, también los de antes. Siguen contando mientras no
        los anulen aquí: o todos, o sólo los que además tienen otra marca. Nadie escoge votos.
      </p>
      <ButtonOutcome outcome={outcome} intents={['anular', 'anular-de-otra']} />
      {flaggedOrigins.length === 0 ? (
        <p className={styles.others}>Ninguno por ahora.</p>
      ) : (
        <ul className={styles.flaggedOrigins}>
          {flaggedOrigins.map((flag) => (
            <FlaggedOriginItem key={flag.id} {...flag} isClosed={isClosed} />
          ))}
        </ul>
      )}
      <details>
        <summary>Reglas de esta votación</summary>
        <RulesTable rules={rules} />
      </details>
      {annulments.length > 0 && (
        <ul className={styles.annulments}>
          {annulments.map(({ id, motivo, votos, at }) => (
            <li key={id}>
              {formatMoment(at)}: {annulledCount(votos)}. {motivo}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function flagReason({ clase, umbral, tramo, at }: FlaggedOrigin): string {
  if (clase === 'desechable') return 'Son de dominios que regalan correos por diez minutos.'
  if (clase === 'servicio')
    return `Servicios en que una sola cuenta tiene cuantas direcciones quiera. Pasaron de ${quantity(umbral, 'voto')} el ${formatMoment(at)}.`
  if (clase.startsWith('antes')) return 'Los marcó una versión anterior del sitio, cuando se emitieron.'
  return tramo === undefined
    ? `Pasó de ${quantity(umbral, 'voto')} en toda la edición el ${formatMoment(at)}.`
    : `Pasó de ${quantity(umbral, 'voto')} en los diez minutos desde el ${formatMoment(tramo)}.`
}

function otherFlagsText(exclusiveVotes: number, remainingVotes: number): string {
  if (exclusiveVotes === remainingVotes) return 'Ninguno de los que cuentan tiene otra marca.'
  if (exclusiveVotes === 0) return 'Todos los que cuentan tienen también otra marca.'
  return `De los que cuentan, ${quantity(exclusiveVotes, 'no tiene', 'no tienen')} ninguna otra marca y ${formatThousands(remainingVotes - exclusiveVotes)} sí.`
}

function FlaggedOriginItem(flag: FlaggedOrigin & { isClosed: boolean }) {
  const { id, votos, anulados: annulledVotes, exclusiveVotes, isBeyondThreshold, domains, hours, isClosed } = flag
  const remainingVotes = votos - annulledVotes
  const name = flagTargetName(flag)
  return (
    <li className={styles.flagged}>
      <div className={styles.flaggedHeading}>
        <h3>{capitalize(name)}</h3>
        <p className={styles.flaggedCount}>
          {quantity(votos, 'voto')}
          {annulledVotes > 0 && (
            <span>{annulledVotes === votos ? 'todos anulados' : annulledCount(annulledVotes)}</span>
          )}
        </p>
      </div>
      <p>
        {flagReason(flag)}
        {domains.length > 0 && ` Entre sus dominios: ${domains.join(', ')}.`}
      </p>
      {remainingVotes > 0 && <p>{otherFlagsText(exclusiveVotes, remainingVotes)}</p>}
      <Timeline hours={hours} />
      {!isBeyondThreshold && <p>La votación creció, y hoy ya no pasa de lo que la regla permite: sus votos cuentan.</p>}
      {remainingVotes > 0 && isBeyondThreshold && !isClosed && (
        <AnnulForm
          id={id}
          name={name}
          remaining={remainingVotes}
          remainingOnOtherFlags={remainingVotes - exclusiveVotes}
        />
      )}
    </li>
  )
}

/** A time line has at most this many bars, so that each is some pixels wide on a phone. */
const MAX_BARS = 72

/**
 * Renders the votes over time. Each bar covers an hour, or several hours if there are more than MAX_BARS. There are at least 24
 * bars, so that those of a few hours are not wide.
 */
function Timeline({ hours }: { hours: FlaggedOrigin['hours'] }) {
  const [firstHour, lastHour] = [hours[0], hours.at(-1)]
  if (!firstHour || !lastHour) return null
  const fromMs = Date.parse(firstHour.hour)
  const hourCount = (Date.parse(lastHour.hour) - fromMs) / HOUR_MS + 1
  const hoursPerBar = Math.ceil(hourCount / MAX_BARS)
  const bars = Array<number>(Math.max(24, Math.ceil(hourCount / hoursPerBar))).fill(0)
  for (const { hour, votos } of hours) bars[Math.floor((Date.parse(hour) - fromMs) / HOUR_MS / hoursPerBar)]! += votos
  const maxVotes = Math.max(...bars)
  const busiestHour = hours.reduce((a, b) => (b.votos > a.votos ? b : a))
  return (
    <figure className={styles.timeline}>
      <svg viewBox={`0 0 ${bars.length} 24`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((votes, index) => (
          <rect
            key={index}
            x={index + 0.1}
            width={0.8}
            y={24 - (votes / maxVotes) * 24}
            height={(votes / maxVotes) * 24}
          />
        ))}
      </svg>
      <figcaption>
        {firstHour.hour === lastHour.hour
          ? `Todos en la hora del ${formatMoment(firstHour.hour)}.`
          : `Del ${formatMoment(firstHour.hour)} al ${formatMoment(lastHour.hour)}; la hora más alta, ${formatMoment(busiestHour.hour)}, con ${quantity(busiestHour.votos, 'voto')}.`}
      </figcaption>
    </figure>
  )
}

function AnnulForm({
  id,
  name,
  remaining,
  remainingOnOtherFlags,
}: {
  id: number
  name: string
  /** Number of the flag's votes that are not annulled. */
  remaining: number
  /** Number of remaining votes that are on another flag, too. */
  remainingOnOtherFlags: number
}) {
  const isBusy = useNavigation().state === 'submitting'
  return (
    <details>
      <summary>Anular: {name}…</summary>
      <Form method="post" action="#origenes" preventScrollReset className={styles.annul}>
        <input type="hidden" name="marca" value={id} />
        <p>
          {remaining === 1 ? 'Saldrá 1 voto de la cuenta' : `Saldrán ${quantity(remaining, 'voto')} de la cuenta`}:
          todos los que quedan de este origen. De quién son no se muestra antes; el acta lo publica con el motivo.
        </p>
        <TextField
          id={`motivo-${id}`}
          name="motivo"
          label="Motivo (se publica)"
          minLength={10}
          maxLength={500}
          required
        />
        <label className={styles.checkbox}>
          <input type="checkbox" name="seguro" required />
          Entiendo que no se puede deshacer
        </label>
        <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="anular">
          {remaining === 1 ? 'Anular 1 voto' : `Anular ${quantity(remaining, 'voto')}`}
        </Button>
        {remainingOnOtherFlags > 0 && remainingOnOtherFlags < remaining && (
          <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="anular-de-otra">
            Anular sólo {formatThousands(remainingOnOtherFlags)}, con otra marca
          </Button>
        )}
      </Form>
    </details>
  )
}
