import type { ReactNode } from 'react'
import { Form, useNavigation } from 'react-router'
import { quantity } from '#app/core/text/quantity.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { formatMoment } from './bursts.tsx'
import { ButtonOutcome, type IntentOutcome } from './button-outcome.tsx'
import styles from './results.module.css'

interface Props {
  isVoteOpen: boolean
  isSealable: boolean
  recount: { at: string; papeletas: number; lotes: number; ultimo: string; fallas: string[] } | undefined
  opening: { at: string; seal: string; isByOrganiser: boolean } | undefined
  closingRecord: { at: string; seal: string } | undefined
  outcome: IntentOutcome | undefined
}

/** Renders the opening record, the last recount and the closing record, with the buttons that make them. */
export function ChainAndRecords({ isVoteOpen, isSealable, recount, opening, closingRecord, outcome }: Props) {
  const isBusy = useNavigation().state === 'submitting'
  const actionForm = (value: string, label: string, confirmation?: ReactNode) => (
    <Form method="post" action={`#${value}`} preventScrollReset className={styles.action}>
      {confirmation}
      <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value={value}>
        {label}
      </Button>
    </Form>
  )
  const confirmationBox = (label: string) => (
    <label className={styles.checkbox}>
      <input type="checkbox" name="seguro" required />
      {label}
    </label>
  )
  return (
    <section aria-labelledby="cadena">
      <h2 id="cadena">Cadena y actas</h2>
      <ol className={styles.steps}>
        <li id="acta-cero">
          <h3>Acta de cero</h3>
          {opening ? (
            <p>
              Levantada el {formatMoment(opening.at)}
              {opening.isByOrganiser ? '' : ', por el sitio'}. <Seal seal={opening.seal} />
            </p>
          ) : (
            <>
              <p>
                Deja constancia de que la cuenta empieza vacía. Desde ella ya no cambian las reglas de la votación,
                cuándo abre ni el lugar de ninguna candidata. Si nadie la levanta, el sitio lo hace a la hora de abrir o
                con el primer voto.
              </p>
              {actionForm(
                'acta-cero',
                'Levantar acta de cero',
                confirmationBox('Entiendo que desde ella ya no cambian'),
              )}
            </>
          )}
          <ButtonOutcome outcome={outcome} intents={['acta-cero']} />
        </li>
        <li id="recontar">
          <h3>Recuento</h3>
          {recount ? (
            recount.fallas.length === 0 ? (
              <p>
                El {formatMoment(recount.at)}: {quantity(recount.papeletas, 'papeleta')} en{' '}
                {quantity(recount.lotes, 'lote')}, y todo coincide.{' '}
                <Seal label="del último lote" seal={recount.ultimo} />
              </p>
            ) : (
              <Banner tone="bad" message={`El recuento del ${formatMoment(recount.at)} encontró diferencias.`}>
                <ul>
                  {recount.fallas.map((fault) => (
                    <li key={fault}>{fault}</li>
                  ))}
                </ul>
              </Banner>
            )
          ) : (
            <p>Compara cada voto con su firma y con la cadena de sellos, y las sumas con ambos.</p>
          )}
          {actionForm('recontar', 'Recontar ahora')}
          <ButtonOutcome outcome={outcome} intents={['recontar']} />
        </li>
        <li id="cerrar">
          <h3>Acta de cierre</h3>
          {closingRecord ? (
            <p>
              Sellada el {formatMoment(closingRecord.at)} y publicada en{' '}
              <a href="/misspopularidad/acta">/misspopularidad/acta</a>. <Seal seal={closingRecord.seal} />
            </p>
          ) : (
            <>
              <p>
                {isVoteOpen
                  ? 'Se sella cuando la votación haya cerrado.'
                  : 'Reúne totales, anulaciones y sellos, se publica, y nada de lo contado cambia después: tampoco se podrá anular ningún voto más.'}
              </p>
              {isSealable &&
                actionForm('cerrar', 'Sellar acta de cierre', confirmationBox('Entiendo que no se puede deshacer'))}
            </>
          )}
          <ButtonOutcome outcome={outcome} intents={['cerrar']} />
        </li>
      </ol>
    </section>
  )
}

const Seal = ({ label, seal }: { label?: string; seal: string }) => (
  <span className={styles.seal}>
    Sello {label} <code>{seal.slice(0, 16)}…</code>
  </span>
)
