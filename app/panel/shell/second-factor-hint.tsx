import { Form } from 'react-router'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './notices.module.css'

/** Suggests that an organiser set up a second factor; «Hoy no» hides the hint until the next sign-in. */
export function SecondFactorHint({ returnTo }: { returnTo: string }) {
  return (
    <aside className={styles.hint} aria-labelledby="consejo">
      <div>
        <h2 id="consejo">Protege tu cuenta con un segundo paso</h2>
        <p>
          Aquí hay actas de nacimiento. Con un código de tu teléfono, quien adivine o robe tu contraseña no entra. Toma
          dos minutos.
        </p>
      </div>
      <div className={styles.buttons}>
        <Link to="/organizadores/cuenta#segundo-paso" className={buttonLook('outline')}>
          Ponerlo ahora
        </Link>
        <Form method="post" action="/organizadores">
          <input type="hidden" name="volver" value={returnTo} />
          <Button type="submit" look="quiet" name="hacer" value="aplazar">
            Hoy no
          </Button>
        </Form>
      </div>
    </aside>
  )
}
