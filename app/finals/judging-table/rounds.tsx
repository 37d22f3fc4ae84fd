import { Form } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextAreaField } from '#app/ui/forms/field.tsx'
import { ClosedRound } from './closed-round.tsx'
import type { JudgingTable } from './data.server.ts'
import { Exceptions } from './exceptions.tsx'
import styles from './judging-table.module.css'
import { Rules } from './rules.tsx'
import { useIsSubmitting } from './use-is-submitting.ts'

type Round = NonNullable<JudgingTable['final']>['rondas'][number]
type Opened = Extract<Round, { estado: 'open' }>

interface Props {
  judgingTable: JudgingTable
  /** `refused` is the refused form, whose typed text is kept; undefined where none was refused. */
  refused: { hacer: string; juez: number; motivo: string } | undefined
}

/** Renders the open round, then the closed rounds, newest first. */
export function Rounds({ judgingTable, refused }: Props) {
  const busy = useIsSubmitting()
  const final = judgingTable.final!
  const { rondas } = final
  const openRound = rondas.find((ronda): ronda is Opened => ronda.estado === 'open')
  const next = !openRound && !final.cierre ? judgingTable.reglas.rondas[rondas.length] : undefined
  const latest = rondas.at(-1)
  const advancing = latest?.estado === 'closed' ? latest.filas.filter(({ pasa }) => pasa) : undefined
  return (
    <>
      {final.ausentes.length > 0 && (
        <Banner
          tone="bad"
          message={`Ya no está en el sitio, y sigue en la final: ${final.ausentes.join(', ')}. Si se retiró, dilo aquí abajo.`}
        />
      )}
      {openRound && <RoundInProgress ronda={openRound} total={judgingTable.reglas.rondas.length} refused={refused} />}
      {next && (
        <section className={styles.section} aria-labelledby="sigue">
          <h2 id="sigue">Sigue: {next.nombre}</h2>
          {advancing && <p>Pasan: {advancing.map(({ nombre }) => nombre).join(', ')}.</p>}
          <Form method="post" preventScrollReset>
            <input type="hidden" name="ronda" value={rondas.length + 1} />
            <Button type="submit" isBusy={busy} name="hacer" value="abrir-ronda">
              Abrir la ronda {rondas.length + 1}: {next.nombre}
            </Button>
          </Form>
        </section>
      )}
      {rondas
        .toReversed()
        .map((ronda) => ronda.estado === 'closed' && <ClosedRound key={ronda.numero} ronda={ronda} />)}
      {final.notas.length > 0 && (
        <section className={styles.section} aria-labelledby="notas">
          <h2 id="notas">Lo que el acta cuenta aparte</h2>
          <ul>
            {final.notas.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
      <details className={styles.exceptions}>
        <summary>Las reglas, como se sellaron el {final.abierta}</summary>
        <Rules rules={judgingTable.reglas} />
      </details>
      {!final.cierre && (
        <Exceptions
          judgingTable={judgingTable}
          reason={refused && ['retirar', 'anular'].includes(refused.hacer) ? refused.motivo : ''}
        />
      )}
    </>
  )
}

function RoundInProgress({ ronda, total, refused }: { ronda: Opened; total: number; refused: Props['refused'] }) {
  const busy = useIsSubmitting()
  const missing = ronda.hojas.filter(({ firmada }) => firmada === null)
  const sent = ronda.hojas.length - missing.length
  return (
    <section className={styles.section} aria-labelledby="en-curso">
      <h2 id="en-curso">
        Ronda {ronda.numero} de {total}: {ronda.nombre}
      </h2>
      <p className={styles.account} role="status">
        <b>
          {sent} de {ronda.hojas.length}
        </b>{' '}
        hojas firmadas
        {missing.length > 0 && sent > 0 && `. Falta: ${missing.map(({ quien }) => quien).join(', ')}`}
      </p>
      <ul className={styles.sheets}>
        {ronda.hojas.map(({ juez, quien, firmada, avance }) => (
          <li key={juez} className={firmada ? styles.signed : undefined}>
            <span>{quien}</span>
            {firmada ? (
              <b>Firmó a las {firmada}</b>
            ) : (
              <span className={styles.note}>{avance === 0 ? 'Sin empezar' : `Lleva ${avance} %`}</span>
            )}
            {firmada && (
              <details open={refused?.hacer === 'reabrir' && refused.juez === juez ? true : undefined}>
                <summary>Reabrir su hoja</summary>
                <Form method="post" preventScrollReset>
                  <input type="hidden" name="ronda" value={ronda.numero} />
                  <input type="hidden" name="juez" value={juez} />
                  <TextAreaField
                    id={`motivo-${juez}`}
                    name="motivo"
                    label="Por qué se reabre"
                    rows={2}
                    maxLength={300}
                    defaultValue={refused?.juez === juez ? refused.motivo : ''}
                  />
                  <Button type="submit" look="outline" isBusy={busy} name="hacer" value="reabrir">
                    Reabrir la hoja de {quien}
                  </Button>
                </Form>
              </details>
            )}
          </li>
        ))}
      </ul>
      <Form method="post" preventScrollReset className={styles.formShape} aria-label="Cerrar la ronda">
        <input type="hidden" name="ronda" value={ronda.numero} />
        {missing.length === 0 ? (
          <Button type="submit" isBusy={busy} name="hacer" value="cerrar-ronda">
            Cerrar la ronda
          </Button>
        ) : (
          sent > 0 && (
            <details>
              <summary>Cerrar sin {missing.length === 1 ? 'una hoja' : `${missing.length} hojas`}</summary>
              <p className={styles.note}>Una hoja que falta no cuenta para nadie. El acta dice por qué.</p>
              {missing.map(({ juez, quien }) => (
                <TextAreaField
                  key={juez}
                  id={`sin-${juez}`}
                  name={`sin-${juez}`}
                  label={`Por qué falta la de ${quien}`}
                  rows={2}
                  maxLength={300}
                />
              ))}
              <Button type="submit" look="outline" isBusy={busy} name="hacer" value="cerrar-ronda">
                Cerrar la ronda sin ellas
              </Button>
            </details>
          )
        )}
      </Form>
    </section>
  )
}
