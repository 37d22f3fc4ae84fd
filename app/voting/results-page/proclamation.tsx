import { Form, useNavigation } from 'react-router'
import type { ProclaimedWinner } from '#app/cms/edition-settings/schema.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { SelectField, TextAreaField, TextField } from '#app/ui/forms/field.tsx'
import { leadersOf } from '#app/voting/election/tally-rules.ts'
import type { RecordCandidate } from '#app/voting/sealing/data.server.ts'
import { formatMoment } from './bursts.tsx'
import { ButtonOutcome, type IntentOutcome } from './button-outcome.tsx'
import styles from './results.module.css'

interface Props {
  year: number
  /** Faults that the closing record declares. */
  faults: string[]
  recordCandidates: RecordCandidate[]
  recount: { fallas: string[] } | undefined
  proclamation: {
    /** The organisers' proclamation, with the candidate's present name or, without such a candidate, the stored id or name. */
    proclaimed: (ProclaimedWinner & { name: string }) | undefined
    version: number
    /** Author of the proclamation's last change: null for an unknown account, undefined if there was never a proclamation. */
    by: string | null | undefined
    at: string | undefined
    /** Name of the winner in the edition's content; undefined if the content names none. */
    contentWinner: string | undefined
  }
  outcome: IntentOutcome | undefined
}

/** Renders the forms that proclaim the sealed record's winner on /misspopularidad, and that withdraw the proclamation. */
export function Proclamation({ year, faults, recordCandidates, recount, proclamation, outcome }: Props) {
  const isBusy = useNavigation().state === 'submitting'
  const { proclaimed, version, by, at, contentWinner } = proclamation
  const leaders = leadersOf(recordCandidates)
  const [leader] = leaders
  const hasNoFault = faults.length === 0 && recount?.fallas.length === 0
  return (
    <section aria-labelledby="proclamacion">
      <h2 id="proclamacion">Proclamación de la ganadora</h2>
      <div className={styles.proclamation}>
        <ButtonOutcome outcome={outcome} intents={['proclamar', 'retirar']} />
        {proclaimed ? (
          <p>
            Miss Popularidad proclama a <strong>{proclaimed.name}</strong>
            {at && `: así lo puso ${by ?? 'alguien'} el ${formatMoment(at)}`}.
          </p>
        ) : (
          <p>
            {contentWinner ? (
              <>
                Miss Popularidad proclama a <strong>{contentWinner}</strong>, como dice el contenido de la edición.
              </>
            ) : (
              'Miss Popularidad todavía no proclama a nadie.'
            )}
          </p>
        )}
        {!leader ? (
          <p>
            {faults.length > 0
              ? 'El acta tiene diferencias: nadie se proclama desde aquí.'
              : 'El acta no tiene ningún voto que cuente: no hay a quién proclamar.'}
          </p>
        ) : leaders.length === 1 ? (
          <p>
            Según el acta ganó {leader.nombre}, con {quantity(leader.votos, 'voto')}.
          </p>
        ) : (
          <Banner
            tone="bad"
            message={`Según el acta hay empate en el primer lugar, con ${quantity(leader.votos, 'voto')} cada una: ${leaders.map(({ nombre }) => nombre).join(', ')}.`}
          >
            <p>Lo resuelve el comité organizador: el sitio no elige. Lo que decidas queda en la bitácora.</p>
          </Banner>
        )}
        {leader && !hasNoFault && (
          <p>
            El recuento encontró diferencias, así que nadie se proclama desde aquí. Lo que el comité decida se escribe
            bajo <code>ganadora</code> en <code>content/{year}/popularidad.yaml</code>.
          </p>
        )}
        {leader && hasNoFault && (
          <Form method="post" action="#proclamacion" preventScrollReset className={styles.proclaim} key={version}>
            <input type="hidden" name="version" value={version} />
            {leaders.length === 1 ? (
              <input type="hidden" name="candidata" value={leader.candidateId} />
            ) : (
              <SelectField
                id="proclamada"
                name="candidata"
                label="Ganadora, por decisión del comité"
                options={[
                  ['', 'Elige…'],
                  ...leaders.flatMap(({ candidateId, nombre }) =>
                    candidateId ? [[candidateId, nombre] as const] : [],
                  ),
                ]}
                defaultValue={proclaimed?.candidata ?? ''}
                required
              />
            )}
            <details open={proclaimed !== undefined || undefined}>
              <summary>Lo que dice su tarjeta</summary>
              <div className={styles.card}>
                <p className={styles.note}>Lo que dejes vacío lo pone el contenido de la edición.</p>
                <TextField
                  id="nombreCorto"
                  name="nombreCorto"
                  label="Nombre corto"
                  maxLength={60}
                  autoComplete="off"
                  defaultValue={proclaimed?.nombreCorto}
                />
                <TextAreaField
                  id="mensaje"
                  name="mensaje"
                  label="Su agradecimiento"
                  rows={3}
                  maxLength={600}
                  defaultValue={proclaimed?.mensaje}
                />
                <TextField
                  id="facebook"
                  name="facebook"
                  type="url"
                  label="Su página de Facebook"
                  autoComplete="off"
                  defaultValue={proclaimed?.facebook}
                />
                <TextField
                  id="instagram"
                  name="instagram"
                  type="url"
                  label="Su página de Instagram"
                  autoComplete="off"
                  defaultValue={proclaimed?.instagram}
                />
              </div>
            </details>
            <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="proclamar">
              {leaders.length > 1
                ? 'Proclamar a la elegida'
                : proclaimed
                  ? 'Guardar la proclamación'
                  : `Proclamar a ${leader.nombre}`}
            </Button>
          </Form>
        )}
        {proclaimed && (
          <Form method="post" action="#proclamacion" preventScrollReset>
            <input type="hidden" name="version" value={version} />
            <Button type="submit" look="quiet" isBusy={isBusy} name="hacer" value="retirar">
              {contentWinner
                ? `Retirar la proclamación: la página dirá ${contentWinner}, como el contenido`
                : 'Retirar la proclamación'}
            </Button>
          </Form>
        )}
      </div>
    </section>
  )
}
