import { Form } from 'react-router'
import { faultOf, NewPasswordFields, type PasswordFault } from '#app/accounts/passwords/new-password-fields.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import styles from './account.module.css'

interface Props {
  email: string
  hasMailServer: boolean
  /** Why the last change was refused. */
  fault: PasswordFault | undefined
}

/** Changes the password of an organiser who types the current one, without mail; a mailed link replaces a forgotten password. */
export function PasswordChange({ email, hasMailServer, fault }: Props) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <section className={styles.part} aria-labelledby="contrasena">
      <h2 id="contrasena">Contraseña</h2>
      <p>Al cambiarla terminan todas tus sesiones, también ésta: entras de nuevo con la nueva.</p>
      <Form method="post" className={styles.form} onSubmit={preventResubmit} aria-labelledby="contrasena">
        {/* Password managers keep the password under this name. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <TextField
          id="actual"
          name="actual"
          type="password"
          label="Contraseña de ahora"
          autoComplete="current-password"
          required
          error={faultOf('actual', fault)}
          isAnswerToSubmit
        />
        <NewPasswordFields fault={fault} />
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
