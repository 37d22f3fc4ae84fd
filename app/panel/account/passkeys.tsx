import { Form, useSubmit } from 'react-router'
import { PasskeyButton } from '#app/accounts/second-factor/passkey-button.tsx'
import type { Passkey } from '#app/accounts/second-factor/passkeys.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './second-factor.module.css'

export function Passkeys({ passkeys }: { passkeys: readonly Passkey[] }) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const submit = useSubmit()
  return (
    <div className={styles.form}>
      <h3>Llaves de acceso</h3>
      <p>
        Entras con tu huella, tu cara o el PIN de tu dispositivo, sin escribir nada. Agrega una en cada teléfono o
        computadora que uses.
      </p>
      {passkeys.length > 0 && (
        <ul className={styles.passkeys}>
          {passkeys.map(({ id, name, createdAt, usedAt }) => (
            <li key={id}>
              <p>
                <b>{name}</b>
                <span>
                  Desde el {formatDateTime(createdAt)};{' '}
                  {usedAt ? `usada el ${formatDateTime(usedAt)}` : 'sin usar todavía'}
                </span>
              </p>
              <details className={styles.confirmation}>
                <summary>Quitar</summary>
                <Form method="post" onSubmit={preventResubmit}>
                  <input type="hidden" name="llave" value={id} />
                  <Button type="submit" look="outline" name="hacer" value="llave-quitar" isBusy={isBusy}>
                    Sí, quitar la llave de {name}
                  </Button>
                </Form>
              </details>
            </li>
          ))}
        </ul>
      )}
      <PasskeyButton
        purpose="alta"
        isBusy={isBusy}
        onAnswer={(solution) => void submit({ hacer: 'llave-agregar', respuesta: solution }, { method: 'post' })}
        onReauthenticate={() => void submit({ hacer: 'llave-pedir' }, { method: 'post' })}
      >
        Agregar llave de acceso
      </PasskeyButton>
    </div>
  )
}
