import { useEffect, useRef } from 'react'
import { Form, isRouteErrorResponse, useLocation, useNavigation, useRouteError, useSubmit } from 'react-router'
import { type AwaitingReauthentication, REAUTH_PASSKEY_FIELD, REAUTH_PASSWORD_FIELD } from '#app/accounts/schema.ts'
import { PasskeyButton } from '#app/accounts/second-factor/passkey-button.tsx'
import { LoginInPlace } from '#app/accounts/sign-in/login-in-place.tsx'
import { type AwaitingSignIn, isAwaitingSignIn } from '#app/accounts/sign-in/login-wall.tsx'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './prompt.module.css'

export const isAwaitingReauthentication = (value: unknown): value is AwaitingReauthentication =>
  typeof value === 'object' && value !== null && 'isAwaitingReauthentication' in value

/**
 * Catches the errors of a screen with dangerous buttons. For a form on hold, it asks in place of the screen for password or
 * passkey or, if the session has ended, for a sign-in, and keeps the form's fields. Other errors go on to the boundary above.
 */
export function ReauthenticationBoundary() {
  const error = useRouteError()
  const { pathname, search } = useLocation()
  if (isRouteErrorResponse(error) && isAwaitingSignIn(error.data)) return <ResumeAfterSignIn {...error.data} />
  if (!isRouteErrorResponse(error) || !isAwaitingReauthentication(error.data)) throw error
  return <ReauthenticationPrompt {...error.data} cancelPath={pathname + search} />
}

/** Keeps the submitted fields until their person has signed in again, and then submits them. */
function ResumeAfterSignIn({ fields, loginWall }: AwaitingSignIn) {
  const submit = useSubmit()
  const { pathname, search } = useLocation()
  const resubmit = () => {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    void submit(form, { method: 'post', action: pathname + search })
  }
  return (
    <>
      <LoginInPlace
        title="Tu sesión terminó"
        message="Lo que llenaste está guardado en esta página: inicia sesión y seguimos justo donde ibas."
        loginWall={loginWall}
        onSignedIn={resubmit}
      />
      <noscript>
        <p>Sin JavaScript no podemos mandarlo por ti. Cópialo antes de iniciar sesión:</p>
        {fields.map(([name, value], index) => (
          <pre key={`${name} ${index}`}>{value}</pre>
        ))}
      </noscript>
    </>
  )
}

interface Props {
  fields: AwaitingReauthentication['fields']
  message?: string | undefined
  hasPasskey: boolean
  /** Path to which «Cancelar» leads. */
  cancelPath: string
  /** Whether the browser itself loads the answer, not the router, since the answer leads to a file. */
  reloadsDocument?: boolean
}

export function ReauthenticationPrompt({ fields, message, hasPasskey, cancelPath, reloadsDocument = false }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const passkeyInput = useRef<HTMLInputElement>(null)
  const banner = useRef<HTMLDivElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const isBusy = useNavigation().state !== 'idle'
  const { pathname, search } = useLocation()
  useEffect(() => {
    if (message) banner.current?.focus()
    else title.current?.focus()
  }, [message])
  return (
    <section className={styles.question} aria-labelledby="confirmar">
      <h1 id="confirmar" ref={title} tabIndex={-1}>
        Confirma que eres tú
      </h1>
      <p>
        Es algo que no debe hacer quien encuentre tu sesión abierta. Escribe tu contraseña y seguimos justo donde ibas
        {fields.length > 0 && ': lo que llenaste está guardado'}.
      </p>
      {/* The boundary may belong to a screen above, so the form has the path of the submitted screen. */}
      <Form
        ref={form}
        method="post"
        action={pathname + search}
        reloadDocument={reloadsDocument}
        onSubmit={(event) => isBusy && event.preventDefault()}
      >
        {message && <Banner ref={banner} tone="bad" message={message} />}
        {fields.map(([name, value], index) => (
          <input key={`${name} ${index}`} type="hidden" name={name} value={value} />
        ))}
        <TextField
          id={REAUTH_PASSWORD_FIELD}
          name={REAUTH_PASSWORD_FIELD}
          type="password"
          label="Contraseña"
          autoComplete="current-password"
          required
        />
        {hasPasskey && <input ref={passkeyInput} type="hidden" name={REAUTH_PASSKEY_FIELD} defaultValue="" />}
        <div className={styles.buttons}>
          <Button type="submit" look="main" isBusy={isBusy}>
            Confirmar y continuar
          </Button>
          {hasPasskey && (
            <PasskeyButton
              purpose="confirmo"
              isBusy={isBusy}
              onAnswer={(text) => {
                passkeyInput.current!.value = text
                // With a passkey, the empty password field must not block the form.
                form.current!.noValidate = true
                form.current!.requestSubmit()
              }}
            >
              Usar mi llave de acceso
            </PasskeyButton>
          )}
          <Link to={cancelPath} className={buttonLook('quiet')}>
            Cancelar
          </Link>
        </div>
      </Form>
    </section>
  )
}
