import { Form } from 'react-router'
import { enMexico } from '#app/core/time/mexico-dates.ts'
import { previstoEnPalabras } from '#app/ops/health/rules.ts'
import type { BorradoPrevisto } from '#app/ops/health/schema.ts'
import formas from '#app/panel/forms.module.css'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'

/** What goes by time within days, and the button that holds it. */
export function Previstos({ previstos }: { previstos: readonly BorradoPrevisto[] }) {
  const { busy, once } = useUnaVez()
  if (previstos.length === 0) return null
  return (
    <section className={formas.acuse} aria-labelledby="previstos">
      <h2 id="previstos">Lo que se va a borrar</h2>
      {previstos.map((previsto) => (
        <Form method="post" key={previsto.edicion} onSubmit={once}>
          <input type="hidden" name="edicion" value={previsto.edicion} />
          <p>
            {previsto.detenidoAt ? 'Detenido: no se borran ' : 'Porque venció su plazo, se borran '}
            {previstoEnPalabras(previsto)}.
            {previsto.detenidoAt && ` Está detenido desde el ${enMexico(previsto.detenidoAt)}.`}
          </p>
          <p className={formas.botones}>
            <Button
              type="submit"
              look="outline"
              busy={busy}
              name="plazo"
              value={previsto.detenidoAt ? 'seguir' : 'detener'}
              aria-label={`${previsto.detenidoAt ? 'Seguir' : 'Detener'} los borrados de la edición ${previsto.edicion}`}
            >
              {previsto.detenidoAt ? 'Seguir' : 'Detener'}
            </Button>
          </p>
        </Form>
      ))}
    </section>
  )
}

/** The machine's clock leapt ahead: nothing is deleted by it until somebody says that it is right. */
export function RelojAdelantado({ maquina, vistoAt }: { maquina: Date; vistoAt: Date }) {
  const { busy, once } = useUnaVez()
  return (
    <section className={formas.acuse} aria-labelledby="reloj">
      <h2 id="reloj">¿Es correcta la hora?</h2>
      <p>
        El servidor dice que hoy es {enMexico(maquina)}. La última vez que el sitio vio la hora era {enMexico(vistoAt)}.
        Mientras nadie lo confirme, no se borra nada por plazo.
      </p>
      <p>
        Si la fecha está bien (el sitio estuvo apagado), confírmalo. Si está mal, pide a quien cuida el servidor que
        corrija su reloj.
      </p>
      <Form method="post" onSubmit={once} className={formas.botones}>
        <Button type="submit" look="outline" busy={busy} name="reloj" value="correcto">
          Sí, la hora es correcta
        </Button>
      </Form>
    </section>
  )
}
