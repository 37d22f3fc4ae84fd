import { Form } from 'react-router'
import { NEW_PASSWORD_HINT } from '#app/accounts/passwords/refusal-messages.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import styles from './account.module.css'

/** Changes the password of an organiser who types the current one, without mail; a mailed link replaces a forgotten password. */
export function PasswordChange({ email, hasMailServer }: { email: string; hasMailServer: boolean }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const props = (name: 'actual' | 'nueva' | 'repetida') => ({
    id: name,
    name,
    type: 'password',
    autoComplete: name === 'actual' ? 'current-password' : 'new-password',
    required: true,
  })
  return (
    <section className={styles.part} aria-labelledby="contrasena">
      <h2 id="contrasena">Contraseña</h2>
      <p>Al cambiarla terminan todas tus sesiones, también ésta: entras de nuevo con la nueva.</p>
      <Form method="post" className={styles.form} onSubmit={preventResubmit} aria-labelledby="contrasena">
        {/* Password managers keep the password under this name. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <TextField {...props('actual')} label="Contraseña de ahora" />
        <TextField {...props('nueva')} label="Contraseña nueva" hint={NEW_PASSWORD_HINT} />
        <TextField {...props('repetida')} label="Escribe otra vez la nueva" />
        <Button type="submit" look="outline" name="hacer" value="clave-nueva" isBusy={isBusy}>
          Cambiar mi contraseña
        </Button>
      </Form>
      {hasMailServer ? (
        <Form method="post" onSubmit={preventResubmit}>
          <p>Si no recuerdas la de ahora, el enlace para elegir otra llega a {email}.</p>
          <Button type="submit" look="quiet" name="hacer" value="clave" isBusy={isBusy}>
            Mandarme el enlace
          </Button>
        </Form>
      ) : (
        <p>Si no recuerdas la de ahora, pide otra a quien cuida el servidor: este sitio todavía no manda correos.</p>
      )}
    </section>
  )
}
