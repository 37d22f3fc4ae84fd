import { Form } from 'react-router'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { plannedDeletionInWords } from '#app/ops/health/rules.ts'
import type { PlannedDeletion } from '#app/ops/health/schema.ts'
import formStyles from '#app/panel/forms.module.css'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'

/** Shows each edition's planned deletions with a button that holds or resumes them. */
export function PlannedDeletions({ deletions }: { deletions: readonly PlannedDeletion[] }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (deletions.length === 0) return null
  return (
    <section className={formStyles.acknowledgement} aria-labelledby="previstos">
      <h2 id="previstos">Lo que se va a borrar</h2>
      {deletions.map((plannedDeletion) => (
        <Form method="post" key={plannedDeletion.edition} onSubmit={preventResubmit}>
          <input type="hidden" name="edicion" value={plannedDeletion.edition} />
          <p>
            {plannedDeletion.heldAt ? 'Detenido: no se borran ' : 'Porque venció su plazo, se borran '}
            {plannedDeletionInWords(plannedDeletion)}.
            {plannedDeletion.heldAt && ` Está detenido desde el ${formatLongDateTimeWithZone(plannedDeletion.heldAt)}.`}
          </p>
          <p className={formStyles.buttons}>
            <Button
              type="submit"
              look="outline"
              isBusy={isBusy}
              name="plazo"
              value={plannedDeletion.heldAt ? 'seguir' : 'detener'}
              aria-label={`${plannedDeletion.heldAt ? 'Seguir' : 'Detener'} los borrados de la edición ${plannedDeletion.edition}`}
            >
              {plannedDeletion.heldAt ? 'Seguir' : 'Detener'}
            </Button>
          </p>
        </Form>
      ))}
    </section>
  )
}

/** Asks to confirm the server's clock, which is ahead (`readClock`); nothing expired is deleted until it is confirmed or corrected. */
export function ClockAheadNotice({ machineNow, storedAt }: { machineNow: Date; storedAt: Date }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <section className={formStyles.acknowledgement} aria-labelledby="reloj">
      <h2 id="reloj">¿Es correcta la hora?</h2>
      <p>
        El servidor dice que hoy es {formatLongDateTimeWithZone(machineNow)}. La última vez que el sitio vio la hora era{' '}
        {formatLongDateTimeWithZone(storedAt)}. Mientras nadie lo confirme, no se borra nada por plazo.
      </p>
      <p>
        Si la fecha está bien (el sitio estuvo apagado), confírmalo. Si está mal, pide a quien cuida el servidor que
        corrija su reloj.
      </p>
      <Form method="post" onSubmit={preventResubmit} className={formStyles.buttons}>
        <Button type="submit" look="outline" isBusy={isBusy} name="reloj" value="correcto">
          Sí, la hora es correcta
        </Button>
      </Form>
    </section>
  )
}
