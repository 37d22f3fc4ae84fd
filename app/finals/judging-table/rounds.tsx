import { Form } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import { Bulbs } from '#app/ui/components/bulbs.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextAreaField } from '#app/ui/forms/field.tsx'
import { ClosedRound } from './closed-round.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { RareActions } from './rare-actions.tsx'
import { RulesInWords } from './rules-in-words.tsx'
import { useIsSubmitting } from './use-is-submitting.ts'

type Round = NonNullable<JudgingTable['final']>['rounds'][number]
type OpenRound = Extract<Round, { status: 'open' }>

interface Props {
  judgingTable: JudgingTable
  /** The refused form, which keeps its typed text; undefined if none was refused. */
  refusedForm: { intent: string; judge: number; typedReason: string } | undefined
}

/** Shows the open or the next round, the closed rounds, newest first, then the record's notes, the rules and rare actions. */
export function Rounds({ judgingTable, refusedForm }: Props) {
  const isBusy = useIsSubmitting()
  const final = judgingTable.final!
  const { rounds } = final
  const openRound = rounds.find((round): round is OpenRound => round.status === 'open')
  const nextRound = !openRound && !final.closing ? judgingTable.rules.rondas[rounds.length] : undefined
  const latestRound = rounds.at(-1)
  const advancingRows =
    latestRound?.status === 'closed' ? latestRound.rows.filter(({ advances }) => advances) : undefined
  return (
    <>
      {final.absentNames.length > 0 && (
        <Banner
          tone="bad"
          message={`Ya no está en el sitio, y sigue en la final: ${final.absentNames.join(', ')}. Si se retiró, dilo aquí abajo.`}
        />
      )}
      {openRound && (
        <RoundInProgress
          round={openRound}
          roundCount={Math.max(judgingTable.rules.rondas.length, rounds.length)}
          refusedForm={refusedForm}
        />
      )}
      {nextRound && (
        <section className={styles.section} aria-labelledby="sigue">
          <h2 id="sigue" className={styles.round}>
            Sigue: {nextRound.nombre}
          </h2>
          {advancingRows && (
            <p className={styles.progressText}>Pasan: {advancingRows.map(({ name }) => name).join(', ')}.</p>
          )}
        </section>
      )}
      {nextRound && (
        <Form method="post" preventScrollReset className={styles.next}>
          <input type="hidden" name="ronda" value={rounds.length + 1} />
          <Button type="submit" isBusy={isBusy} name="hacer" value="abrir-ronda">
            Abrir la ronda {rounds.length + 1}: {nextRound.nombre}
          </Button>
        </Form>
      )}
      {rounds
        .toReversed()
        .map(
          (round) =>
            round.status === 'closed' && (
              <ClosedRound key={round.number} round={round} isFolded={round !== latestRound} />
            ),
        )}
      {judgingTable.notes.length > 0 && (
        <section className={styles.section} aria-labelledby="notas">
          <h2 id="notas">Lo que el acta cuenta aparte</h2>
          <ul>
            {judgingTable.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
      <details className={styles.exceptions}>
        <summary className={styles.row}>Las reglas, como se sellaron el {final.openedAt}</summary>
        <RulesInWords rules={judgingTable.rules} />
      </details>
      {!final.closing && (
        <RareActions
          judgingTable={judgingTable}
          reason={refusedForm && ['retirar', 'anular'].includes(refusedForm.intent) ? refusedForm.typedReason : ''}
        />
      )}
    </>
  )
}

function RoundInProgress({
  round,
  roundCount,
  refusedForm,
}: {
  round: OpenRound
  roundCount: number
  refusedForm: Props['refusedForm']
}) {
  const isBusy = useIsSubmitting()
  const missingSheets = round.sheets.filter(({ signedAt }) => signedAt === null)
  const signedCount = round.sheets.length - missingSheets.length
  return (
    <>
      <section className={styles.section} aria-labelledby="en-curso">
        <h2 id="en-curso" className={styles.round}>
          <small>
            Ronda {round.number} de {roundCount}
            <span className="visually-hidden">:</span>
          </small>{' '}
          {round.name}
        </h2>
        <p className={styles.progressText} role="status">
          <b>
            {signedCount} de {round.sheets.length}
          </b>{' '}
          hojas firmadas
          {missingSheets.length === 0 &&
            `. Ya ${signedCount === 1 ? 'firmó' : 'firmaron todos'}: puedes cerrar la ronda.`}
        </p>
        <ul className={styles.sheets}>
          {round.sheets.map(({ judge, judgeName, signedAt, scoredCount }) => (
            <li key={judge} className={signedAt ? styles.signed : scoredCount > 0 ? styles.scoring : undefined}>
              <h3>{judgeName}</h3>
              <Bulbs lit={scoredCount} total={round.candidateCount} className={styles.bulbs} />
              {signedAt ? (
                <b>Firmó a las {signedAt}</b>
              ) : (
                <span className={styles.note}>
                  {scoredCount === 0 ? 'Sin empezar' : `Lleva ${scoredCount} de ${round.candidateCount}`}
                </span>
              )}
              {signedAt && (
                <details open={refusedForm?.intent === 'reabrir' && refusedForm.judge === judge ? true : undefined}>
                  <summary>Reabrir su hoja</summary>
                  <Form method="post" preventScrollReset>
                    <input type="hidden" name="ronda" value={round.number} />
                    <input type="hidden" name="juez" value={judge} />
                    <TextAreaField
                      id={`motivo-${judge}`}
                      name="motivo"
                      label="Por qué se reabre"
                      rows={2}
                      maxLength={300}
                      defaultValue={refusedForm?.judge === judge ? refusedForm.typedReason : ''}
                    />
                    <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="reabrir">
                      Reabrir<span className="visually-hidden"> la hoja de {judgeName}</span>
                    </Button>
                  </Form>
                </details>
              )}
            </li>
          ))}
        </ul>
      </section>
      <Form method="post" preventScrollReset className={styles.next} aria-label="Cerrar la ronda">
        <input type="hidden" name="ronda" value={round.number} />
        {missingSheets.length === 0 ? (
          <Button type="submit" isBusy={isBusy} name="hacer" value="cerrar-ronda">
            Cerrar la ronda
          </Button>
        ) : (
          <>
            <p>{missingSheets.length === 1 ? 'Falta una hoja.' : `Faltan ${missingSheets.length} hojas.`}</p>
            {signedCount > 0 && (
              <details className={styles.form}>
                <summary>
                  Cerrar sin {missingSheets.length === 1 ? 'una hoja' : `${missingSheets.length} hojas`}
                </summary>
                <p className={styles.note}>Una hoja que falta no cuenta para nadie. El acta dice por qué.</p>
                {missingSheets.map(({ judge, judgeName }) => (
                  <TextAreaField
                    key={judge}
                    id={`sin-${judge}`}
                    name={`sin-${judge}`}
                    label={`Por qué falta la de ${judgeName}`}
                    rows={2}
                    maxLength={300}
                  />
                ))}
                <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="cerrar-ronda">
                  Cerrar la ronda sin ellas
                </Button>
              </details>
            )}
          </>
        )}
      </Form>
    </>
  )
}
