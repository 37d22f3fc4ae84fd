import { Form } from 'react-router'
import { formatMomentInWords } from '#app/core/time/mexico-dates.ts'
import type { Appointment } from '#app/entries/letters/schema.ts'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './appointment-section.module.css'

interface Props {
  entryId: number
  appointment: Appointment | undefined
  /** The entrant's telephone if no mail reaches the entrant. */
  phoneWithoutMail: string | undefined
  outcome: { ok: boolean; message: string } | undefined
}

/** Shows the entry's coming appointment with the ways to move and to cancel it, or the way to make one. */
export function AppointmentSection({ entryId, appointment, phoneWithoutMail, outcome }: Props) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const messageUrl = `/organizadores/escribir?id=${entryId}&cita=si`
  return (
    <section aria-labelledby="cita" className={styles.appointment}>
      <h2 id="cita" className="visually-hidden">
        Cita
      </h2>
      {outcome && <OutcomeNotice outcome={outcome} />}
      {appointment ? (
        <>
          <p>
            Cita: {formatMomentInWords(appointment.at, appointment.at)} · en {appointment.place}
          </p>
          <div className={styles.buttons}>
            <Link to={messageUrl} className={buttonLook('outline')}>
              Mover la cita
            </Link>
            <details className={styles.confirmation}>
              <summary>Cancelarla</summary>
              <Form method="post" preventScrollReset onSubmit={preventResubmit}>
                <input type="hidden" name="cita" value={appointment.code} />
                <p>
                  {phoneWithoutMail
                    ? `No le llega ningún correo: llámale al ${phoneWithoutMail}. Deja de ver la cita con su folio.`
                    : 'Se le avisa por correo que ya no hay cita, y deja de verla con su folio. No le llega recordatorio.'}
                </p>
                <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="cancelar-cita">
                  Sí, cancelar la cita
                </Button>
              </Form>
            </details>
          </div>
        </>
      ) : (
        <>
          <p>No tiene cita.</p>
          <div className={styles.buttons}>
            <Link to={messageUrl} className={buttonLook('outline')}>
              Darle una cita
            </Link>
          </div>
        </>
      )}
    </section>
  )
}
