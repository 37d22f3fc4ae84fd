import { Form } from 'react-router'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './account-list.module.css'

interface Props {
  requests: { id: number; name: string; outlet: string; email: string }[]
}

/** Lists the journalists who asked for an accreditation on the press page, each with buttons that accredit and dismiss. */
export function PressRequests({ requests }: Props) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (requests.length === 0) return null
  return (
    <section className={styles.group} aria-label="Piden su acreditación">
      <h2>Piden su acreditación</h2>
      <p className={styles.empty}>
        Lo escribieron en el sitio, y nadie lo ha comprobado: mira que el correo sea del medio.
      </p>
      <ul>
        {requests.map(({ id, name, outlet, email }) => (
          <li key={id} className={styles.account}>
            <p className={styles.identity}>
              <b>{outlet}</b>
              <span>{name}</span>
              <span>{email}</span>
            </p>
            <Form method="post" className={styles.buttons} onSubmit={preventResubmit}>
              <input type="hidden" name="medio" value={outlet} />
              <input type="hidden" name="correo" value={email} />
              <Button type="submit" look="outline" name="hacer" value="acreditar" isBusy={isBusy}>
                Acreditar a {outlet}
              </Button>
              <Button type="submit" look="quiet" name="hacer" value="quitar" isBusy={isBusy}>
                Quitar de la lista
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </section>
  )
}
