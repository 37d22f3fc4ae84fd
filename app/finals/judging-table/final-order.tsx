import { Form } from 'react-router'
import { Button } from '#app/ui/components/button.tsx'
import type { JudgingTable } from './data.server.ts'
import styles from './judging-table.module.css'
import { useIsSubmitting } from './use-is-submitting.ts'

/** Renders the final ranking, with buttons to seal the record, print the order on one page and publish it. */
export function FinalOrder({ judgingTable }: { judgingTable: JudgingTable }) {
  const busy = useIsSubmitting()
  const final = judgingTable.final!
  const { cierre } = final
  const order = cierre?.orden ?? final.provisional ?? []
  return (
    <section className={styles.closing} aria-labelledby="orden">
      <p className={styles.letterhead}>
        {judgingTable.certamen} {judgingTable.edicion}
      </p>
      <h2 id="orden">El orden final</h2>
      <Order order={order} />
      {cierre ? (
        <>
          <p className={styles.seal}>
            Acta sellada el {cierre.levantada}
            <br />
            Sello: <code>{cierre.sello}</code>
          </p>
          <div className={styles.signatures} aria-hidden="true">
            <span>Notaría</span>
            {judgingTable.jurado.map(({ numero }) => (
              <span key={numero}>Jurado {numero}</span>
            ))}
          </div>
          <p className={styles.buttons}>
            <Button onClick={() => print()}>Imprimir el orden</Button>
            <a className={styles.download} href="/final/acta.json" download={`acta-final-${judgingTable.edicion}.json`}>
              Descargar el acta
            </a>
            <a className={styles.download} href="/final/acta">
              Ver el acta
            </a>
          </p>
          <Form method="post" preventScrollReset className={styles.formShape} aria-label="Quién ve el acta">
            {judgingTable.publica ? (
              <>
                <p>El acta es pública desde el {judgingTable.publica}.</p>
                <Button type="submit" look="quiet" isBusy={busy} name="hacer" value="ocultar">
                  Quitarla del público
                </Button>
              </>
            ) : (
              <details>
                <summary>Hacer público</summary>
                <p>
                  Hasta ahora nadie más ve nada de la final. Al hacerla pública cualquiera podrá leer en /final/acta el
                  orden y lo que dio cada juez. ¿Ya se dijo en la plaza?
                </p>
                <Button type="submit" isBusy={busy} name="hacer" value="publicar">
                  Sí, hacer pública el acta
                </Button>
              </details>
            )}
          </Form>
        </>
      ) : (
        <Form method="post" preventScrollReset className={styles.formShape}>
          <p>Al sellar el acta termina la noche del jurado: sus teléfonos ya no entran, y nada cambia después.</p>
          <Button type="submit" isBusy={busy} name="hacer" value="sellar">
            Sellar el acta
          </Button>
        </Form>
      )}
    </section>
  )
}

export function Order({ order }: { order: NonNullable<NonNullable<JudgingTable['final']>['provisional']> }) {
  return (
    <ol className={styles.order}>
      {order.map(({ lugar, id, numero, nombre, puntos, titulo, ronda }) => (
        <li key={id}>
          <span className={styles.place}>{lugar}</span>
          <span>
            {titulo && <span className={styles.title}>{titulo}</span>}
            <b>{nombre}</b>
            <span className={styles.note}>
              Número {numero}, {puntos} puntos en {ronda}
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}
