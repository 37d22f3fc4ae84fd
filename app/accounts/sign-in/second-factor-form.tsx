import { useEffect, useRef } from 'react'
import { PasskeyButton } from '#app/accounts/second-factor/passkey-button.tsx'
import { retryDelayInWords } from '#app/accounts/throttling/retry-delay-in-words.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import styles from './login-wall.module.css'
import { LoginWallForm, useLoginWallSubmit } from './login-wall-form.tsx'
import type { RefusedSignIn } from './password-form.tsx'

/** Second factors of an account, beside recovery codes. */
export interface SecondFactorMethods {
  hasAuthenticator: boolean
  hasPasskey: boolean
}

/** Shows the form between the right password and the panel. */
export function SecondFactorForm({
  hasAuthenticator,
  hasPasskey,
  refusal,
}: SecondFactorMethods & { refusal: RefusedSignIn | undefined }) {
  const banner = useRef<HTMLDivElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const { isBusy, send } = useLoginWallSubmit()
  useEffect(() => {
    if (refusal) banner.current?.focus()
    else title.current?.focus()
  }, [refusal])
  return (
    <>
      <h1 id="segundo" ref={title} tabIndex={-1}>
        Segundo paso
      </h1>
      <p className={styles.message}>Tu contraseña es correcta. Falta comprobar que eres tú.</p>
      {refusal && (
        <Banner ref={banner} tone="bad" message={refusal.message}>
          {refusal.retrySeconds !== undefined && (
            <p>Espera {retryDelayInWords(refusal.retrySeconds)} antes del siguiente.</p>
          )}
        </Banner>
      )}
      {hasPasskey && (
        <PasskeyButton
          purpose="segundo"
          look={hasAuthenticator ? 'outline' : 'main'}
          isBusy={isBusy}
          onAnswer={(text) => void send({ hacer: 'segundo-llave', llave: text })}
        >
          Usar mi llave de acceso
        </PasskeyButton>
      )}
      {hasAuthenticator && (
        <LoginWallForm className={styles.access} headingId="segundo">
          <TextField
            id="codigo"
            name="codigo"
            label="Código de tu aplicación"
            hint="Los seis dígitos que muestra en este momento."
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={12}
          />
          <Button type="submit" look="main" name="hacer" value="segundo" isBusy={isBusy}>
            Entrar
          </Button>
        </LoginWallForm>
      )}
      <details className={styles.other} open={!hasAuthenticator && !hasPasskey}>
        <summary>Usar un código de respaldo</summary>
        <LoginWallForm className={styles.fallbackPart}>
          <TextField
            id="respaldo"
            name="codigo"
            label="Código de respaldo"
            hint="Uno de los diez que guardaste, como ABCDE-23456. Cada uno sirve una vez."
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
          />
          <Button type="submit" look="outline" name="hacer" value="respaldo" isBusy={isBusy}>
            Entrar con este código
          </Button>
        </LoginWallForm>
        <p>
          ¿No tienes tu teléfono ni tus códigos? Pide a quien administra el sitio que quite tu segundo paso desde la
          terminal.
        </p>
      </details>
      <LoginWallForm className={styles.wayBack}>
        <Button type="submit" look="quiet" name="hacer" value="otra-cuenta" isBusy={isBusy}>
          Entrar con otra cuenta
        </Button>
      </LoginWallForm>
    </>
  )
}
