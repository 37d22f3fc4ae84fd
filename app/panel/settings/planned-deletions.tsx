import { Form } from 'react-router'
import { enMexico } from '#app/core/time/mexico-dates.ts'
import { plannedDeletionInWords } from '#app/ops/health/rules.ts'
import type { PlannedDeletion } from '#app/ops/health/schema.ts'
import forms from '#app/panel/forms.module.css'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'

/** Deletions that retention brings within days, each with a button that holds it. */
export function PlannedDeletions({ previstos }: { previstos: readonly PlannedDeletion[] }) {
  const { busy, once } = useSubmitOnce()
  if (previstos.length === 0) return null
  return (
    <section className={forms.acuse} aria-labelledby="previstos">
      <h2 id="previstos">Lo que se va a borrar</h2>
      {previstos.map((plannedDeletion) => (
        <Form method="post" key={plannedDeletion.edicion} onSubmit={once}>
          <input type="hidden" name="edicion" value={plannedDeletion.edicion} />
          <p>
            {plannedDeletion.detenidoAt ? 'Detenido: no se borran ' : 'Porque venció su plazo, se borran '}
            {plannedDeletionInWords(plannedDeletion)}.
            {plannedDeletion.detenidoAt && ` Está detenido desde el ${enMexico(plannedDeletion.detenidoAt)}.`}
          </p>
          <p className={forms.botones}>
            <Button
              type="submit"
              look="outline"
              busy={busy}
              name="plazo"
              value={plannedDeletion.detenidoAt ? 'seguir' : 'detener'}
              aria-label={`${plannedDeletion.detenidoAt ? 'Seguir' : 'Detener'} los borrados de la edición ${plannedDeletion.edicion}`}
            >
              {plannedDeletion.detenidoAt ? 'Seguir' : 'Detener'}
            </Button>
          </p>
        </Form>
      ))}
    </section>
  )
}

/** Asks to confirm the server's clock, which leapt ahead; until then retention deletes nothing. */
export function ClockAheadNotice({ maquina, vistoAt }: { maquina: Date; vistoAt: Date }) {
  const { busy, once } = useSubmitOnce()
  return (
    <section className={forms.acuse} aria-labelledby="reloj">
      <h2 id="reloj">¿Es correcta la hora?</h2>
      <p>
        El servidor dice que hoy es {enMexico(maquina)}. La última vez que el sitio vio la hora era {enMexico(vistoAt)}.
        Mientras nadie lo confirme, no se borra nada por plazo.
      </p>
      <p>
        Si la fecha está bien (el sitio estuvo apagado), confírmalo. Si está mal, pide a quien cuida el servidor que
        corrija su reloj.
      </p>
      <Form method="post" onSubmit={once} className={forms.botones}>
        <Button type="submit" look="outline" busy={busy} name="reloj" value="correcto">
          Sí, la hora es correcta
        </Button>
      </Form>
    </section>
  )
}
