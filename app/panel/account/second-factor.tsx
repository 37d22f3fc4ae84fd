import { useEffect, useState } from 'react'
import { Form } from 'react-router'
import type { SecondFactorStatus } from '#app/accounts/second-factor/totp.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { QrPicture } from '#app/ui/components/qr-picture.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './second-factor.module.css'

interface Props {
  secondFactor: SecondFactorStatus
  /** Whether the panel opens only with a second factor. */
  isRequired: boolean
  /** Whether the account has passkeys, which are a second factor without the authenticator app. */
  hasPasskeys: boolean
}

/** Sets up or removes the account's authenticator app; shows how many recovery codes are left, and replaces them. */
export function AuthenticatorApp({ secondFactor, isRequired, hasPasskeys }: Props) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const { activatedAt, shownSecret, recoveryCodeCount } = secondFactor
  const hasSecondFactor = activatedAt !== null || hasPasskeys
  return (
    <>
      <div className={styles.form}>
        <h3>Aplicación de códigos</h3>
        {activatedAt ? (
          <>
            <p>
              <b className={styles.current}>Puesta</b> desde el {formatDateTime(activatedAt)}. Después de tu contraseña
              te pedimos el código que muestra.
            </p>
            <details className={styles.confirmation}>
              <summary>Quitar la aplicación</summary>
              <p>
                {isRequired && !hasPasskeys
                  ? 'Este sitio exige un segundo paso: sin él no verás el panel hasta que pongas otro. '
                  : ''}
                Quítala sólo si cambias de teléfono o ya no la usas. Se avisa por correo a quienes administran el sitio.
              </p>
              <Form method="post" onSubmit={preventResubmit}>
                <Button type="submit" look="outline" name="hacer" value="segundo-quitar" isBusy={isBusy}>
                  Sí, quitar la aplicación
                </Button>
              </Form>
            </details>
          </>
        ) : shownSecret ? (
          <AuthenticatorSetup pendingSecret={shownSecret} />
        ) : (
          <>
            <p>
              Una aplicación gratuita de tu teléfono (Google Authenticator, Microsoft Authenticator, Aegis o la que ya
              uses) muestra un código nuevo cada medio minuto.
            </p>
            <Form method="post" onSubmit={preventResubmit}>
              <Button type="submit" look="outline" name="hacer" value="segundo-empezar" isBusy={isBusy}>
                Poner aplicación de códigos
              </Button>
            </Form>
          </>
        )}
      </div>
      {hasSecondFactor && (
        <div className={styles.form}>
          <h3>Códigos de respaldo</h3>
          <p>
            {recoveryCodeCount === 0
              ? 'No te queda ninguno. Haz otros y guárdalos: sirven cuando no tienes tu teléfono.'
              : `Te ${recoveryCodeCount === 1 ? 'queda 1' : `quedan ${recoveryCodeCount}`}. Cada uno sirve una vez, cuando no tienes tu teléfono.`}
          </p>
          <details className={styles.confirmation}>
            <summary>Hacer códigos nuevos</summary>
            <p>Los que guardaste antes dejan de servir en ese momento.</p>
            <Form method="post" onSubmit={preventResubmit}>
              <Button type="submit" look="outline" name="hacer" value="segundo-respaldos" isBusy={isBusy}>
                Sí, hacer diez códigos nuevos
              </Button>
            </Form>
          </details>
        </div>
      )}
    </>
  )
}

function AuthenticatorSetup({
  pendingSecret: { key, qr },
}: {
  pendingSecret: NonNullable<SecondFactorStatus['shownSecret']>
}) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  return (
    <>
      <ol className={styles.steps}>
        <li>
          <p>Abre tu aplicación de códigos y elige agregar una cuenta. Escanea este cuadro con ella.</p>
          <QrPicture qrCode={qr} label="Cuadro para escanear con la aplicación de códigos" className={styles.qr} />
          <p>
            ¿Estás en el mismo teléfono, o no puedes escanear? En tu aplicación elige escribir la clave, y copia ésta:
          </p>
          <p className={styles.secretKey}>
            <code>{key}</code>
          </p>
        </li>
        <li>
          <p>Escribe el código de seis dígitos que muestra ahora.</p>
          <Form method="post" className={styles.code} onSubmit={preventResubmit}>
            <TextField
              id="codigo-segundo"
              name="codigo"
              label="Código de tu aplicación"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={12}
              required
            />
            <Button type="submit" look="main" name="hacer" value="segundo-activar" isBusy={isBusy}>
              Activar
            </Button>
          </Form>
        </li>
      </ol>
      <Form method="post" onSubmit={preventResubmit}>
        <Button type="submit" look="quiet" name="hacer" value="segundo-empezar" isBusy={isBusy}>
          Empezar con otro cuadro
        </Button>
      </Form>
    </>
  )
}

/** Shows new recovery codes, which are never shown again. */
export function RecoveryCodes({ codes, email }: { codes: readonly string[]; email: string }) {
  // Copying and printing need JavaScript, so their buttons appear after hydration.
  const [isHydrated, setHydrated] = useState(false)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => setHydrated(true), [])
  const text = `Códigos de respaldo de ${email} (${globalThis.location?.host ?? ''})\nCada uno sirve una vez.\n\n${codes.join('\n')}\n`
  return (
    <section className={styles.recoveryCodes} aria-labelledby="respaldos">
      <h2 id="respaldos">Guarda tus códigos de respaldo</h2>
      <p>
        Con uno de éstos entras si pierdes tu teléfono. Cada uno sirve una vez. <b>No los volveremos a mostrar</b>:
        guárdalos fuera de tu teléfono, por ejemplo impresos.
      </p>
      <ol className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={styles.buttons}>
        {isHydrated && (
          <>
            <Button
              look="outline"
              onClick={() =>
                void navigator.clipboard?.writeText(text).then(
                  () => setCopied(true),
                  () => {},
                )
              }
            >
              {isCopied ? 'Copiados' : 'Copiar'}
            </Button>
            <Button look="outline" onClick={() => window.print()}>
              Imprimir
            </Button>
          </>
        )}
        <a
          className={buttonLook('outline')}
          download="codigos-de-respaldo.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Descargar
        </a>
        <Link to="/organizadores/cuenta" className={buttonLook('quiet')}>
          Ya los guardé
        </Link>
      </div>
    </section>
  )
}
