import { Form, useNavigation } from 'react-router'
import { miles } from '#app/core/text/thousands-separator.ts'
import { TextField } from '#app/ui/forms/field.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Reglas } from '#app/voting/election/origin-rules.ts'
import { cuantos, mayuscula, nombreDeMarca } from '#app/voting/election/tally-rules.ts'
import type { OrigenMarcado } from '#app/voting/tally/schema.ts'
import { anulados, enHoras } from './bursts.tsx'
import { type Desenlace, Dicho } from './button-outcome.tsx'
import styles from './results.module.css'
import { TablaDeReglas } from './rules-table.tsx'

interface Props {
  marcados: OrigenMarcado[]
  reglas: Reglas
  anulaciones: { id: number; motivo: string; votos: number; at: string }[]
  cerrada: boolean
  dicho: Desenlace | undefined
}

/**
 * The origins that passed a threshold, with their time line, and the way to annul one whole. It says how many votes
 * that takes out, never whose.
 */
export function Origenes({ marcados, reglas, anulaciones, cerrada, dicho }: Props) {
  return (
    <section aria-labelledby="origenes">
      <h2 id="origenes">Orígenes marcados</h2>
      <p className={styles.nota}>
        Un origen es quien puede hacer correos: un dominio, un servicio de alias, una ráfaga. Cuando pasa de la regla
        publicada en el acta de cero, el sitio marca todos sus votos, también los de antes. Siguen contando mientras no
        los anulen aquí: o todos, o sólo los que además tienen otra marca. Nadie escoge votos.
      </p>
      <Dicho dicho={dicho} de={['anular', 'anular-de-otra']} />
      {marcados.length === 0 ? (
        <p className={styles.otros}>Ninguno por ahora.</p>
      ) : (
        <ul className={styles.marcados}>
          {marcados.map((one) => (
            <Marcado key={one.id} {...one} cerrada={cerrada} />
          ))}
        </ul>
      )}
      <details>
        <summary>Reglas de esta votación</summary>
        <TablaDeReglas reglas={reglas} />
      </details>
      {anulaciones.length > 0 && (
        <ul className={styles.anulaciones}>
          {anulaciones.map(({ id, motivo, votos, at }) => (
            <li key={id}>
              {enHoras(at)}: {anulados(votos)}. {motivo}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Why an origin is marked, in one sentence. */
function porQue({ clase, umbral, tramo, at }: OrigenMarcado): string {
  if (clase === 'desechable') return 'Son de dominios que regalan correos por diez minutos.'
  if (clase === 'servicio')
    return `Servicios en que una sola cuenta tiene cuantas direcciones quiera. Pasaron de ${cuantos(umbral, 'voto')} el ${enHoras(at)}.`
  if (clase.startsWith('antes')) return 'Los marcó una versión anterior del sitio, cuando se emitieron.'
  return tramo === undefined
    ? `Pasó de ${cuantos(umbral, 'voto')} en toda la edición el ${enHoras(at)}.`
    : `Pasó de ${cuantos(umbral, 'voto')} en los diez minutos desde el ${enHoras(tramo)}.`
}

/** How many of the votes that count stand under no other suspicion. */
function enOtraMarca(unsuspected: number, quedan: number): string {
  if (unsuspected === quedan) return 'Ninguno de los que cuentan tiene otra marca.'
  if (unsuspected === 0) return 'Todos los que cuentan tienen también otra marca.'
  return `De los que cuentan, ${cuantos(unsuspected, 'no tiene', 'no tienen')} ninguna otra marca y ${miles(quedan - unsuspected)} sí.`
}

function Marcado(one: OrigenMarcado & { cerrada: boolean }) {
  const { id, votos, anulados: gone, unsuspected, isPast, dominios, horas, cerrada } = one
  const quedan = votos - gone
  const nombre = nombreDeMarca(one)
  return (
    <li className={styles.marcado}>
      <div className={styles.marcadoCabeza}>
        <h3>{mayuscula(nombre)}</h3>
        <p className={styles.marcadoVotos}>
          {cuantos(votos, 'voto')}
          {gone > 0 && <span>{gone === votos ? 'todos anulados' : anulados(gone)}</span>}
        </p>
      </div>
      <p>
        {porQue(one)}
        {dominios.length > 0 && ` Entre sus dominios: ${dominios.join(', ')}.`}
      </p>
      {quedan > 0 && <p>{enOtraMarca(unsuspected, quedan)}</p>}
      <LineaDeTiempo horas={horas} />
      {!isPast && <p>La votación creció, y hoy ya no pasa de lo que la regla permite: sus votos cuentan.</p>}
      {quedan > 0 && isPast && !cerrada && (
        <Anular id={id} nombre={nombre} quedan={quedan} deOtra={quedan - unsuspected} />
      )}
    </li>
  )
}

const HOUR_MS = 3_600_000
/** More bars would be thinner than a pixel on a phone. */
const MAX_BARRAS = 72

/** Votes over time, as bars of so many hours that they fit. */
function LineaDeTiempo({ horas }: { horas: OrigenMarcado['horas'] }) {
  const [first, last] = [horas[0], horas.at(-1)]
  if (!first || !last) return null
  const fromMs = Date.parse(first.hora)
  const count = (Date.parse(last.hora) - fromMs) / HOUR_MS + 1
  const each = Math.ceil(count / MAX_BARRAS)
  const barras = Array<number>(Math.max(24, Math.ceil(count / each))).fill(0)
  for (const { hora, votos } of horas) barras[Math.floor((Date.parse(hora) - fromMs) / HOUR_MS / each)]! += votos
  const most = Math.max(...barras)
  const busiest = horas.reduce((a, b) => (b.votos > a.votos ? b : a))
  return (
    <figure className={styles.linea}>
      <svg viewBox={`0 0 ${barras.length} 24`} preserveAspectRatio="none" aria-hidden="true">
        {barras.map((votos, at) => (
          <rect key={at} x={at + 0.1} width={0.8} y={24 - (votos / most) * 24} height={(votos / most) * 24} />
        ))}
      </svg>
      <figcaption>
        {first.hora === last.hora
          ? `Todos en la hora del ${enHoras(first.hora)}.`
          : `Del ${enHoras(first.hora)} al ${enHoras(last.hora)}; la hora más alta, ${enHoras(busiest.hora)}, con ${cuantos(busiest.votos, 'voto')}.`}
      </figcaption>
    </figure>
  )
}

/** The question before an origin is annulled. */
function Anular({ id, nombre, quedan, deOtra }: { id: number; nombre: string; quedan: number; deOtra: number }) {
  const busy = useNavigation().state === 'submitting'
  return (
    <details>
      <summary>Anular: {nombre}…</summary>
      <Form method="post" action="#origenes" preventScrollReset className={styles.anula}>
        <input type="hidden" name="marca" value={id} />
        <p>
          {quedan === 1 ? 'Saldrá 1 voto de la cuenta' : `Saldrán ${cuantos(quedan, 'voto')} de la cuenta`}: todos los
          que quedan de este origen. De quién son no se muestra antes; el acta lo publica con el motivo.
        </p>
        <TextField
          id={`motivo-${id}`}
          name="motivo"
          label="Motivo (se publica)"
          minLength={10}
          maxLength={500}
          required
        />
        <label className={styles.casilla}>
          <input type="checkbox" name="seguro" required />
          Entiendo que no se puede deshacer
        </label>
        <Button type="submit" look="outline" busy={busy} name="hacer" value="anular">
          {quedan === 1 ? 'Anular 1 voto' : `Anular ${cuantos(quedan, 'voto')}`}
        </Button>
        {deOtra > 0 && deOtra < quedan && (
          <Button type="submit" look="outline" busy={busy} name="hacer" value="anular-de-otra">
            Anular sólo {miles(deOtra)}, con otra marca
          </Button>
        )}
      </Form>
    </details>
  )
}
