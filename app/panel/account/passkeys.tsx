import { Form, useSubmit } from 'react-router'
import { ConLlave } from '#app/accounts/second-factor/passkey-button.tsx'
import type { LlaveDeAcceso } from '#app/accounts/second-factor/passkeys.server.ts'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import styles from './second-factor.module.css'

/** The passkeys of the own account. */
export function LlavesDeAcceso({ llaves }: { llaves: readonly LlaveDeAcceso[] }) {
  const { busy, once } = useUnaVez()
  const submit = useSubmit()
  return (
    <div className={styles.forma}>
      <h3>Llaves de acceso</h3>
      <p>
        Entras con tu huella, tu cara o el PIN de tu dispositivo, sin escribir nada. Agrega una en cada teléfono o
        computadora que uses.
      </p>
      {llaves.length > 0 && (
        <ul className={styles.llaves}>
          {llaves.map(({ id, nombre, creadaAt, usadaAt }) => (
            <li key={id}>
              <p>
                <b>{nombre}</b>
                <span>
                  Desde el {enFecha(creadaAt)}; {usadaAt ? `usada el ${enFecha(usadaAt)}` : 'sin usar todavía'}
                </span>
              </p>
              <details className={styles.seguro}>
                <summary>Quitar</summary>
                <Form method="post" onSubmit={once}>
                  <input type="hidden" name="llave" value={id} />
                  <Button type="submit" look="outline" name="hacer" value="llave-quitar" busy={busy}>
                    Sí, quitar la llave de {nombre}
                  </Button>
                </Form>
              </details>
            </li>
          ))}
        </ul>
      )}
      <ConLlave
        para="alta"
        busy={busy}
        onRespuesta={(respuesta) => void submit({ hacer: 'llave-agregar', respuesta }, { method: 'post' })}
        onConfirmar={() => void submit({ hacer: 'llave-pedir' }, { method: 'post' })}
      >
        Agregar llave de acceso
      </ConLlave>
    </div>
  )
}
