import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Form } from 'react-router'
import { parseCode, parseEmail, type SignInResponse } from '#app/accounts/schema.ts'
import { announceSession } from '#app/accounts/sessions/browser-signals.ts'
import type { SubmittedWork } from '#app/core/http/proof-of-work.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { EmailAddress } from '#app/ui/components/email-address.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { rememberVote } from './remembered-vote.ts'
import { VOTER_SIGN_IN_MESSAGES, type VoterSignInAnswer } from './schema.ts'
import styles from './sign-in.module.css'
import { useSignInChallenge } from './use-sign-in-challenge.ts'

/** Time after which another code can be requested. */
const RESEND_DELAY_MS = 30_000
/** Time for which the server accepts a code. */
const CODE_VALIDITY_MS = 10 * 60_000
/** sessionStorage key of the e-mail address, kept while the visitor reads the mail. */
const SAVED_EMAIL_KEY = 'certamen.voto'

interface Props {
  vote: number
  /** Id of the candidate whom the page shows at the place `vote`. */
  candidateId: string | undefined
  google: boolean
  /** The answer to a form that was sent without the page's script. */
  formAnswer: VoterSignInAnswer | undefined
  /** Called after the sign-in; it casts the vote. */
  onSignedIn: () => void
}

interface SentRequest {
  correo: string
  /** Moment of the request by the device's clock. */
  atMs: number
}

/** Renders a voter's sign-in: the e-mail address, then the six-digit code mailed to it. */
export function SignIn({ vote, candidateId, google, formAnswer, onSignedIn }: Props) {
  const [requested, setRequested] = useState<SentRequest | undefined>(
    formAnswer?.isSent ? { correo: formAnswer.email, atMs: 0 } : undefined,
  )
  const [error, setError] = useState(formAnswer?.error)
  const [isBusy, setIsBusy] = useState(false)
  const { takeSolution, solveAgain, isWorking } = useSignInChallenge()
  const code = useRef<HTMLInputElement>(null)
  const email = useRef<HTMLInputElement>(null)

  // The page may have been reloaded while the visitor read the mail.
  useEffect(() => {
    const storedRequest = recallRequest()
    if (storedRequest) setRequested(storedRequest)
  }, [])
  const sentTo = requested?.correo
  useEffect(() => {
    if (sentTo) code.current?.focus()
  }, [sentTo])

  const send = async (fields: Record<string, string>) => {
    try {
      const answer = await fetch('/entrar', { method: 'POST', body: new URLSearchParams(fields) })
      return (await answer.json()) as SignInResponse
    } catch {
      return undefined
    }
  }
  /** Runs one piece of work at a time; presses during it are ignored. */
  const runExclusively = async (work: () => Promise<void>) => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    await work()
    setIsBusy(false)
  }
  const showFailure = (answer: Exclude<SignInResponse, { ok: true }> | undefined, field: HTMLInputElement | null) => {
    setError(answer ? VOTER_SIGN_IN_MESSAGES[answer.reason](answer.retrySeconds ?? 0) : VOTER_SIGN_IN_MESSAGES.red(0))
    field?.focus()
  }

  const requestCode = async (to: string) => {
    if (!parseEmail(to)) return showFailure({ ok: false, reason: 'correo' }, email.current)
    if (!navigator.cookieEnabled) return showFailure({ ok: false, reason: 'cookies' }, email.current)
    const postRequest = (proofOfWork: SubmittedWork | undefined) => send({ hacer: 'pedir', correo: to, ...proofOfWork })
    let answer = await postRequest(await takeSolution())
    // The cookie of a page that was open for long has expired. The second request has a new one, and fails only in a browser
    // without cookies.
    if (answer?.ok === false && answer.reason === 'cookies') answer = await postRequest(await takeSolution())
    // The server asks for more work by now, or the solved challenge has expired.
    if (answer?.ok === false && answer.reason === 'trabajo' && answer.reto) {
      const proofOfWork = await solveAgain(answer.reto)
      if (proofOfWork) answer = await postRequest(proofOfWork)
    }
    if (!answer?.ok) return showFailure(answer, email.current ?? code.current)
    const sentRequest = { correo: parseEmail(to)!, atMs: Date.now() }
    rememberRequest(sentRequest)
    setRequested(sentRequest)
    if (code.current) {
      code.current.value = ''
      code.current.style.removeProperty('--written')
    }
  }
  const submitCode = async (digits: string) => {
    if (!requested) return
    if (!parseCode(digits)) return showFailure({ ok: false, reason: 'credenciales' }, code.current)
    const answer = await send({ hacer: 'codigo', correo: requested.correo, codigo: digits })
    if (!answer?.ok) {
      showFailure(answer, code.current)
      code.current?.select()
      return
    }
    rememberRequest(undefined)
    announceSession()
    onSignedIn()
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void runExclusively(() =>
      requested ? submitCode(String(form.get('codigo'))) : requestCode(String(form.get('correo'))),
    )
  }

  const action = `/misspopularidad?vote=${vote}`
  if (!requested)
    return (
      <Form method="post" action={action} className={styles.signIn} onSubmit={onSubmit} noValidate>
        <p>Para que cada persona vote una vez, escribe tu correo: te enviaremos un código de seis dígitos.</p>
        <TextField
          ref={email}
          id="correo-voto"
          name="correo"
          type="email"
          label="Correo electrónico"
          placeholder="nombre@ejemplo.mx"
          autoComplete="email"
          inputMode="email"
          defaultValue={formAnswer?.email}
          error={error}
          required
        />
        <Button type="submit" look="main" isBusy={isBusy} name="hacer" value="pedir">
          Enviarme el código
        </Button>
        {isWorking && <WorkNotice />}
        {google && (
          <a
            className={buttonLook('outline')}
            href={`/cuentas/google?next=${encodeURIComponent(action)}`}
            onClick={() => rememberVote(vote)}
          >
            Entrar con Google
          </a>
        )}
      </Form>
    )
  return (
    <Form method="post" action={action} className={styles.signIn} onSubmit={onSubmit} noValidate>
      <p>
        En un momento debe llegar a{' '}
        <strong className={styles.email}>
          <EmailAddress email={requested.correo} />
        </strong>{' '}
        un código de seis dígitos. Escríbelo aquí.
      </p>
      <input type="hidden" name="correo" value={requested.correo} />
      <input type="hidden" name="candidata" value={candidateId} />
      <TextField
        ref={code}
        id="codigo-voto"
        name="codigo"
        label="Código de seis dígitos"
        className={styles.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        error={error}
        required
        onInput={(event) => {
          const digits = event.currentTarget.value.replace(/\D/g, '').slice(0, 6)
          if (event.currentTarget.value !== digits) event.currentTarget.value = digits
          event.currentTarget.style.setProperty('--written', String(Math.min(digits.length, 5)))
        }}
      />
      <Button type="submit" look="main" isBusy={isBusy} name="hacer" value="codigo">
        Confirmar mi voto
      </Button>
      {isWorking && <WorkNotice />}
      <AnotherCodeButton
        requested={requested}
        busy={isBusy}
        onRequest={() => runExclusively(() => requestCode(requested.correo))}
      />
      <p className={styles.change}>
        <Button
          look="quiet"
          onClick={() => {
            rememberRequest(undefined)
            setError(undefined)
            setRequested(undefined)
          }}
        >
          Usar otro correo
        </Button>
      </p>
    </Form>
  )
}

const WorkNotice = () => (
  <p className={styles.working} role="status">
    Hay mucho movimiento: comprobamos que eres una persona. Toma unos segundos.
  </p>
)

/** Renders the button that requests another code; in the half minute after a request, the remaining time instead. */
function AnotherCodeButton({
  requested,
  busy,
  onRequest,
}: {
  requested: SentRequest
  busy: boolean
  onRequest: () => void
}) {
  const [secondsLeft, setSecondsLeft] = useState(0)
  useEffect(() => {
    const tick = () => setSecondsLeft(Math.max(0, Math.ceil((requested.atMs + RESEND_DELAY_MS - Date.now()) / 1_000)))
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [requested])
  return (
    <p className={styles.another}>
      ¿No llegó? Revisa también el correo no deseado.{' '}
      {secondsLeft > 0 ? (
        `Puedes pedir otro en 0:${String(secondsLeft).padStart(2, '0')}.`
      ) : (
        <Button
          type="submit"
          look="quiet"
          isBusy={busy}
          name="hacer"
          value="pedir"
          formNoValidate
          onClick={(event) => {
            event.preventDefault()
            onRequest()
          }}
        >
          Pedir otro código
        </Button>
      )}
    </p>
  )
}

// Reads the last request of this tab. Reads the last request of this tab. Reads the last request of this tab. Reads the last
// request of this tab. Reads the last request of this tab. Without session storage the visitor types the address again.
function recallRequest(): SentRequest | undefined {
  try {
    const storedRequest = JSON.parse(sessionStorage.getItem(SAVED_EMAIL_KEY) ?? 'null') as SentRequest | null
    return storedRequest && Date.now() - storedRequest.atMs < CODE_VALIDITY_MS ? storedRequest : undefined
  } catch {
    return undefined
  }
}
function rememberRequest(requested: SentRequest | undefined): void {
  try {
    if (requested) sessionStorage.setItem(SAVED_EMAIL_KEY, JSON.stringify(requested))
    else sessionStorage.removeItem(SAVED_EMAIL_KEY)
  } catch {}
}
