import type { ReactNode } from 'react'
import { Form, useNavigation } from 'react-router'
import { Banner } from '#app/ui/primitives/banner.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import { quantity } from '#app/voting/election/tally-rules.ts'
import { formatSpanStart } from './bursts.tsx'
import { ButtonOutcome, type Outcome } from './button-outcome.tsx'
import styles from './results.module.css'

interface Props {
  abierta: boolean
  sellable: boolean
  recuento: { at: string; papeletas: number; lotes: number; ultimo: string; fallas: string[] } | undefined
  apertura: { at: string; sello: string; propia: boolean } | undefined
  acta: { at: string; sello: string } | undefined
  dicho: Outcome | undefined
}

/** Shows the records and the last recount, with the buttons that make them. */
export function ChainAndRecords({ abierta, sellable, recuento, apertura, acta, dicho }: Props) {
  const busy = useNavigation().state === 'submitting'
  const order = (value: string, words: string, sure?: ReactNode) => (
    <Form method="post" action={`#${value}`} preventScrollReset className={styles.orden}>
      {sure}
      <Button type="submit" look="outline" busy={busy} name="hacer" value={value}>
        {words}
      </Button>
    </Form>
  )
  return (
    <section aria-labelledby="cadena">
      <h2 id="cadena">Cadena y actas</h2>
      <ol className={styles.pasos}>
        <li id="acta-cero">
          <h3>Acta de cero</h3>
          {apertura ? (
            <p>
              Levantada el {formatSpanStart(apertura.at)}
              {apertura.propia ? '' : ', por el sitio, con el primer voto'}. <Seal sello={apertura.sello} />
            </p>
          ) : (
            <>
              <p>
                Deja constancia de que la cuenta empieza vacía. Si nadie la levanta, el sitio lo hace con el primer
                voto.
              </p>
              {order('acta-cero', 'Levantar acta de cero')}
            </>
          )}
          <ButtonOutcome dicho={dicho} de={['acta-cero']} />
        </li>
        <li id="recontar">
          <h3>Recuento</h3>
          {recuento ? (
            recuento.fallas.length === 0 ? (
              <p>
                El {formatSpanStart(recuento.at)}: {quantity(recuento.papeletas, 'papeleta')} en{' '}
                {quantity(recuento.lotes, 'lote')}, y todo coincide.{' '}
                <Seal de="del último lote" sello={recuento.ultimo} />
              </p>
            ) : (
              <Banner tone="bad" message={`El recuento del ${formatSpanStart(recuento.at)} encontró diferencias.`}>
                <ul>
                  {recuento.fallas.map((falla) => (
                    <li key={falla}>{falla}</li>
                  ))}
                </ul>
              </Banner>
            )
          ) : (
            <p>Compara cada voto con su firma y con la cadena de sellos, y las sumas con ambos.</p>
          )}
          {order('recontar', 'Recontar ahora')}
          <ButtonOutcome dicho={dicho} de={['recontar']} />
        </li>
        <li id="cerrar">
          <h3>Acta de cierre</h3>
          {acta ? (
            <p>
              Sellada el {formatSpanStart(acta.at)} y publicada en{' '}
              <a href="/misspopularidad/acta">/misspopularidad/acta</a>. <Seal sello={acta.sello} />
            </p>
          ) : (
            <>
              <p>
                {abierta
                  ? 'Se sella cuando la votación haya cerrado.'
                  : 'Reúne totales, anulaciones y sellos, se publica, y nada de lo contado cambia después: tampoco se podrá anular ningún voto más.'}
              </p>
              {sellable &&
                order(
                  'cerrar',
                  'Sellar acta de cierre',
                  <label className={styles.casilla}>
                    <input type="checkbox" name="seguro" required />
                    Entiendo que no se puede deshacer
                  </label>,
                )}
            </>
          )}
          <ButtonOutcome dicho={dicho} de={['cerrar']} />
        </li>
      </ol>
    </section>
  )
}

const Seal = ({ de, sello }: { de?: string; sello: string }) => (
  <span className={styles.sello}>
    Sello {de} <code>{sello.slice(0, 16)}…</code>
  </span>
)
