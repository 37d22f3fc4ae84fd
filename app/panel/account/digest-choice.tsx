import { Form } from 'react-router'
import { DIGEST_FREQUENCIES, type DigestFrequency } from '#app/panel/digest/frequency.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './account.module.css'

export function DigestChoice({ frequency, email }: { frequency: DigestFrequency; email: string }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <section className={styles.part} aria-labelledby="novedades">
      <h2 id="novedades">Novedades por correo</h2>
      <p>
        Cuántas inscripciones llegaron, cuántas esperan y si algún correo no llegó, a {email}. Sin nombres ni
        documentos; si no hay nada nuevo, no se manda nada.
      </p>
      <Form method="post" onSubmit={preventResubmit}>
        <fieldset className={styles.options} key={frequency}>
          <legend>Cuándo</legend>
          {Object.entries(DIGEST_FREQUENCIES).map(([value, label]) => (
            <label key={value}>
              <input type="radio" name="cuando" value={value} defaultChecked={value === frequency} />
              {label}
            </label>
          ))}
        </fieldset>
        <Button type="submit" look="outline" name="hacer" value="novedades" isBusy={isBusy}>
          Guardar cuándo
        </Button>
      </Form>
    </section>
  )
}
