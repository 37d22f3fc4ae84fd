import { Form } from 'react-router'
import { Enlace } from '#app/ui/links/link.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import styles from './second-factor-hint.module.css'

/** Advises an organiser to set up a second factor; put off, the hint comes back at the next sign-in. */
export function SecondFactorHint({ volver }: { volver: string }) {
  return (
    <aside className={styles.consejo} aria-labelledby="consejo">
      <div>
        <h2 id="consejo">Protege tu cuenta con un segundo paso</h2>
        <p>
          Aquí hay actas de nacimiento. Con un código de tu teléfono, quien adivine o robe tu contraseña no entra. Toma
          dos minutos.
        </p>
      </div>
      <div className={styles.botones}>
        <Enlace to="/organizadores/cuenta" className={buttonLook('outline')}>
          Ponerlo ahora
        </Enlace>
        <Form method="post" action="/organizadores">
          <input type="hidden" name="volver" value={volver} />
          <Button type="submit" look="quiet" name="hacer" value="aplazar">
            Hoy no
          </Button>
        </Form>
      </div>
    </aside>
  )
}
