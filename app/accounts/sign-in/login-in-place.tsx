import { useEffect, useMemo, useRef, useState } from 'react'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import styles from './login-in-place.module.css'
import { LOGIN_IN_PLACE_PATH, type LoginInPlaceResponse, type LoginWallState, SignInMethods } from './login-wall.tsx'
import { LoginWallSubmitContext } from './login-wall-form.tsx'
import type { RefusedSignIn } from './password-form.tsx'
import { unansweredMessageOf } from './refusal.ts'

interface Props {
  title: string
  message: string
  /** First state of the login wall; without it, the password form is shown. */
  loginWall?: LoginWallState | undefined
  onSignedIn(): void
}

/** Shows the organisers' login wall above an open screen, whose unsent fields wait for the sign-in. */
export function LoginInPlace({
  title,
  message,
  loginWall: initialLoginWall = { state: 'signed-out' },
  onSignedIn,
}: Props) {
  const [loginWall, setLoginWall] = useState(initialLoginWall)
  const [refusal, setRefusal] = useState<RefusedSignIn>()
  const [isBusy, setIsBusy] = useState(false)
  const onSignedInRef = useRef(onSignedIn)
  onSignedInRef.current = onSignedIn
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])

  const wallSubmit = useMemo(() => {
    const requestState = async (init?: RequestInit): Promise<LoginInPlaceResponse> => {
      const response = await fetch(LOGIN_IN_PLACE_PATH, { cache: 'no-store', ...init })
      return (await response.json()) as LoginInPlaceResponse
    }
    const submitFields = async (fields: FormData) => {
      setIsBusy(true)
      setRefusal(undefined)
      const email = String(fields.get('correo') ?? '')
      const body = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]))
      try {
        let signInResponse = await requestState({ method: 'POST', body })
        // The response to a successful step does not contain the new state.
        if ('hasStepSucceeded' in signInResponse) signInResponse = await requestState()
        if ('isOpen' in signInResponse) return onSignedInRef.current()
        if ('loginWall' in signInResponse) setLoginWall(signInResponse.loginWall)
        else if ('message' in signInResponse) setRefusal(signInResponse)
      } catch {
        setRefusal({ message: unansweredMessageOf(fields.get('hacer')), email })
      } finally {
        setIsBusy(false)
      }
    }
    return { send: submitFields }
  }, [])

  return (
    <LoginWallSubmitContext value={{ ...wallSubmit, isBusy }}>
      <section className={styles.loginInPlace} aria-labelledby="entrar-aqui">
        <Emblem isBackground />
        <h1 id="entrar-aqui" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p className={styles.message}>{message}</p>
        <SignInMethods loginWall={loginWall} headingId="entrar-aqui" refusal={refusal} />
      </section>
    </LoginWallSubmitContext>
  )
}
