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

/** Time after a request during which the page offers no other code. */
const RESEND_DELAY_MS = 30_000
/** Delays after a request, or after a reload of the page, at which the page asks whether the request's mail could go out. */
const DELIVERY_CHECK_DELAYS_MS = [6_000, 20_000]
/** The server accepts a code for this time. */
const CODE_VALIDITY_MS = 10 * 60_000
/** sessionStorage key of the last `SentRequest`, in case the page is reloaded while the visitor reads the mail. */
const SENT_REQUEST_KEY = 'certamen.voto'

interface Props {
  votePlace: number
  /** Id of the candidate whom the page shows at `votePlace`. */
  candidateId: string | undefined
  hasGoogle: boolean
  /** The answer to a form that was sent without the page's script. */
  formAnswer: VoterSignInAnswer | undefined
  /** Is called after the sign-in, to cast the vote. */
  onSignedIn: () => void
}

interface SentRequest {
  correo: string
  /** Moment of the request by the device's clock; 0 if the form was sent without the page's script. */
  atMs: number
}

/** Renders a voter's sign-in: the email address, then the six-digit code mailed to it. */
export function SignIn({ votePlace, candidateId, hasGoogle, formAnswer, onSignedIn }: Props) {
  const [sentRequest, setSentRequest] = useState<SentRequest | undefined>(
    formAnswer?.isSent ? { correo: formAnswer.email, atMs: 0 } : undefined,
  )
  const [error, setError] = useState(formAnswer?.error)
  const [isBusy, setIsBusy] = useState(false)
  const { takeSolution, solveAgain, isWorking } = useSignInChallenge()
  const codeInput = useRef<HTMLInputElement>(null)
  const emailInput = useRef<HTMLInputElement>(null)
  const typedEmail = useRef(formAnswer?.email)

  // The page may have been reloaded while the visitor read the mail.
  useEffect(() => {
    const storedRequest = recallRequest()
    typedEmail.current ??= storedRequest?.correo
    if (storedRequest) setSentRequest(storedRequest)
  }, [])
  const sentTo = sentRequest?.correo
  useEffect(() => {
    if (sentTo) codeInput.current?.focus()
  }, [sentTo])

  const postSignIn = async (fields: Record<string, string>) => {
    try {
      const answer = await fetch('/entrar', { method: 'POST', body: new URLSearchParams(fields) })
      return (await answer.json()) as SignInResponse
    } catch {
      return undefined
    }
  }
  /** Runs an action of the form. Buttons pressed while it runs do nothing. */
  const runExclusively = async (formAction: () => Promise<void>) => {
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    await formAction()
    setIsBusy(false)
  }
  const showFailure = (answer: Exclude<SignInResponse, { ok: true }> | undefined, field: HTMLInputElement | null) => {
    setError(answer?.mensaje ?? VOTER_SIGN_IN_MESSAGES[answer?.reason ?? 'red'](answer?.retrySeconds ?? 0))
    field?.focus()
  }

  const returnToAddress = () => {
    rememberRequest(undefined)
    setError(undefined)
    setSentRequest(undefined)
  }

  // A visitor does not wait for a mail that the mail server refused, or that cannot go out for now.
  useEffect(() => {
    if (!sentTo) return
    const checkDelivery = async () => {
      const answer = await postSignIn({ hacer: 'envio', correo: sentTo })
      // An older version of the site does not know this question.
      if (!answer || answer.ok || answer.reason === 'peticion') return
      returnToAddress()
      showFailure(answer, null)
    }
    const timers = DELIVERY_CHECK_DELAYS_MS.map((delayMs) => setTimeout(checkDelivery, delayMs))
    return () => timers.forEach(clearTimeout)
  }, [sentRequest])

  const requestCode = async (to: string) => {
    if (!parseEmail(to)) return showFailure({ ok: false, reason: 'correo' }, emailInput.current)
    if (!navigator.cookieEnabled) return showFailure({ ok: false, reason: 'cookies' }, emailInput.current)
    const postRequest = (proofOfWork: SubmittedWork | undefined) =>
      postSignIn({ hacer: 'pedir', correo: to, ...proofOfWork })
    let answer = await postRequest(await takeSolution())
    // The cookie of a page that was open for long has expired. The retry has a new cookie, unless the browser stores none.
    if (answer?.ok === false && answer.reason === 'cookies') answer = await postRequest(await takeSolution())
    // No challenge was solved, the solved one has expired, or the server asks for more work by now.
    if (answer?.ok === false && answer.reason === 'trabajo' && answer.reto) {
      const proofOfWork = await solveAgain(answer.reto)
      if (proofOfWork) answer = await postRequest(proofOfWork)
    }
    if (!answer?.ok) return showFailure(answer, emailInput.current ?? codeInput.current)
    typedEmail.current = to
    const newRequest = { correo: parseEmail(to)!, atMs: Date.now() }
    rememberRequest(newRequest)
    setSentRequest(newRequest)
    if (codeInput.current) {
      codeInput.current.value = ''
      codeInput.current.style.removeProperty('--written')
    }
  }
  const submitCode = async (digits: string) => {
    if (!sentRequest) return
    if (!parseCode(digits)) return showFailure({ ok: false, reason: 'credenciales' }, codeInput.current)
    const answer = await postSignIn({ hacer: 'codigo', correo: sentRequest.correo, codigo: digits })
    if (!answer?.ok) {
      showFailure(answer, codeInput.current)
      codeInput.current?.select()
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
      sentRequest ? submitCode(String(form.get('codigo'))) : requestCode(String(form.get('correo'))),
    )
  }

  const action = `/misspopularidad?vote=${votePlace}`
  if (!sentRequest)
    return (
      <Form method="post" action={action} className={styles.signIn} onSubmit={onSubmit} noValidate>
        <p>Para que cada persona vote una vez, escribe tu correo: te enviaremos un código de seis dígitos.</p>
        <TextField
          ref={emailInput}
          id="correo-voto"
          name="correo"
          type="email"
          label="Correo electrónico"
          placeholder="nombre@ejemplo.mx"
          autoComplete="email"
          inputMode="email"
          defaultValue={typedEmail.current}
          error={error}
          required
        />
        <Button type="submit" look="main" isBusy={isBusy} name="hacer" value="pedir">
          Enviarme el código
        </Button>
        {isWorking && <WorkNotice />}
        {hasGoogle && (
          <a
            className={buttonLook('outline')}
            href={`/cuentas/google?next=${encodeURIComponent(action)}`}
            onClick={() => rememberVote(votePlace)}
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
          <EmailAddress email={sentRequest.correo} />
        </strong>{' '}
        un código de seis dígitos. Escríbelo aquí.
      </p>
      <input type="hidden" name="correo" value={sentRequest.correo} />
      <input type="hidden" name="candidata" value={candidateId} />
      <TextField
        ref={codeInput}
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
        sentMs={sentRequest.atMs}
        isBusy={isBusy}
        onRequest={() => runExclusively(() => requestCode(sentRequest.correo))}
      />
      <p className={styles.otherEmail}>
        <Button look="quiet" onClick={returnToAddress}>
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

/**
 * Renders the button that requests another code. In the half minute after a request, renders the remaining time instead.
 * @param sentMs moment of the last request by the device's clock
 */
function AnotherCodeButton({ sentMs, isBusy, onRequest }: { sentMs: number; isBusy: boolean; onRequest: () => void }) {
  const [secondsLeft, setSecondsLeft] = useState(0)
  useEffect(() => {
    const tick = () => setSecondsLeft(Math.max(0, Math.ceil((sentMs + RESEND_DELAY_MS - Date.now()) / 1_000)))
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [sentMs])
  return (
    <p className={styles.resend}>
      ¿No llegó? Revisa también el correo no deseado.{' '}
      {secondsLeft > 0 ? (
        `Puedes pedir otro en 0:${String(secondsLeft).padStart(2, '0')}.`
      ) : (
        <Button
          type="submit"
          look="quiet"
          isBusy={isBusy}
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

/**
 * Returns this tab's last request if its code may still be valid. Without session storage the visitor types the address again.
 */
function recallRequest(): SentRequest | undefined {
  try {
    const storedRequest = JSON.parse(sessionStorage.getItem(SENT_REQUEST_KEY) ?? 'null') as SentRequest | null
    return storedRequest && Date.now() - storedRequest.atMs < CODE_VALIDITY_MS ? storedRequest : undefined
  } catch {
    return undefined
  }
}
function rememberRequest(sentRequest: SentRequest | undefined): void {
  try {
    if (sentRequest) sessionStorage.setItem(SENT_REQUEST_KEY, JSON.stringify(sentRequest))
    else sessionStorage.removeItem(SENT_REQUEST_KEY)
  } catch {}
}
