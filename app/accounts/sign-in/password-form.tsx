import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useShownPassword } from '#app/accounts/passwords/use-shown-password.tsx'
import { retryDelayInWords } from '#app/accounts/throttling/retry-delay-in-words.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { LoginWallForm, useLoginWallSubmit } from './login-wall-form.tsx'

interface Props {
  headingId: string
  submitLabel: string
  /** `outline` if the screen has another main action. */
  look?: 'main' | 'outline' | undefined
  className: string | undefined
  refusal: RefusedSignIn | undefined
  /** Content above the fields. */
  children?: ReactNode
}

export interface RefusedSignIn {
  message: string
  email: string
  /** Wait before the next attempt. */
  retrySeconds?: number
  /** Present if the queue was full and the password was not checked. */
  overload?: { challenge?: WorkChallenge | undefined } | undefined
}

/** Times that the form is sent again automatically, each time with new proof of work. */
const MAX_RESENDS = 4

/**
 * Shows the fields for email and password, with which the press (§2.12) and the organisers (§2.15) sign in. Only the server checks
 * the fields (§5).
 */
export function PasswordForm({ headingId, submitLabel, look = 'main', className, refusal, children }: Props) {
  const banner = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const { isBusy: isSubmitting } = useLoginWallSubmit()
  const isWorking = useResendWithWork(form, refusal)
  const isBusy = isSubmitting || isWorking
  const { type, box } = useShownPassword('ver-clave')
  const [isCookieless, setIsCookieless] = useState(false)
  useEffect(() => setIsCookieless(!navigator.cookieEnabled), [])
  useEffect(() => {
    if (refusal && !isWorking) banner.current?.focus()
  }, [refusal, isWorking])

  return (
    <LoginWallForm ref={form} className={className} headingId={headingId}>
      {children}
      {isCookieless && (
        <Banner
          tone="bad"
          message="Este navegador no guarda cookies, y sin ellas nadie puede entrar. Permítelas en sus ajustes, o abre esta página en Chrome o en Safari."
        />
      )}
      {refusal && !isWorking && <Banner ref={banner} tone="bad" message={refusal.message} />}
      {isWorking && (
        <p role="status">Está entrando mucha gente a la vez: comprobamos que eres una persona. Toma unos segundos.</p>
      )}
      {refusal?.overload && !isWorking && (
        <p>
          Está entrando mucha gente a la vez, y no alcanzamos a revisar tu contraseña. Inténtalo de nuevo en un momento.
        </p>
      )}
      {refusal?.retrySeconds !== undefined && (
        <p>
          Fueron muchos intentos seguidos: espera {retryDelayInWords(refusal.retrySeconds)}. ¿No fuiste tú?{' '}
          <Link to="/medios/recuperar#sin-esperar">Pide por correo un enlace para entrar sin esperar</Link>.
        </p>
      )}
      <TextField
        id="correo"
        name="correo"
        type="email"
        label="Correo Electrónico"
        placeholder="Ingresa tu correo"
        autoComplete="username"
        defaultValue={refusal?.email}
      />
      <TextField
        id="clave"
        name="clave"
        type={type}
        autoCapitalize="none"
        spellCheck={false}
        label="Contraseña"
        placeholder="Ingresa tu contraseña"
        autoComplete="current-password"
      />
      {box}
      <Button type="submit" look={look} isBusy={isBusy} name="hacer" value="entrar">
        {submitLabel}
      </Button>
      <p>
        <Link to="/medios/recuperar">¿Olvidaste tu contraseña?</Link>
      </p>
    </LoginWallForm>
  )
}

/** Solves the challenge of a full queue, and sends the form again. @returns whether that is under way */
function useResendWithWork(form: RefObject<HTMLFormElement | null>, refusal: RefusedSignIn | undefined): boolean {
  const { send } = useLoginWallSubmit()
  const sendRef = useRef(send)
  sendRef.current = send
  // Without JavaScript no challenge is solved, and the refusal is shown.
  const [isHydrated, setIsHydrated] = useState(false)
  useEffect(() => setIsHydrated(true), [])
  const [doneChallenge, setDoneChallenge] = useState<WorkChallenge>()
  const resendCount = useRef(0)
  const challenge = refusal?.overload?.challenge
  useEffect(() => {
    if (!challenge) {
      resendCount.current = 0
      return
    }
    let isActive = resendCount.current++ < MAX_RESENDS
    const solveAndResend = async () => {
      const solution = isActive
        ? await import('#app/core/http/proof-of-work.client.ts')
            .then(({ solveWork }) => solveWork(challenge))
            .catch(() => undefined)
        : undefined
      if (isActive && solution !== undefined && form.current) {
        const fields = new FormData(form.current)
        fields.set('hacer', 'entrar')
        fields.set('reto', JSON.stringify(challenge))
        fields.set('respuesta', solution)
        await sendRef.current(fields)
      }
      setDoneChallenge(challenge)
    }
    void solveAndResend()
    return () => {
      isActive = false
    }
  }, [challenge, form])
  return isHydrated && challenge !== undefined && doneChallenge !== challenge
}
