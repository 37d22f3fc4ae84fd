import type { ReactNode } from 'react'
import { Form } from 'react-router'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Dialog } from '#app/ui/components/dialog.tsx'
import { Photo } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import {
  ALREADY_VOTED_MESSAGE,
  THANKS_MESSAGE,
  type VotableCandidate,
  type VoterSignInAnswer,
  type VoteWindowStep,
  WITHDRAWN_CANDIDATE_MESSAGE,
} from './schema.ts'
import { SignIn } from './sign-in.tsx'
import { LitWheel, Thanks } from './thanks.tsx'
import styles from './vote-window.module.css'

interface Props {
  step: VoteWindowStep
  /** Whether the window opens over the page. Visitors without JavaScript see it as a section of the document. */
  isOverlay: boolean
  candidates: VotableCandidate[]
  /** The vote's countdown; false once the vote is over, and while no candidate is announced. */
  countdown: object | false
  year: number
  siteOrigin: string
  closingText: string
  /** Text for voters who come before the opening or after the closing. */
  closedWindow: { title: string; text: string }
  hasGoogle: boolean
  /** Sentences about the receipt: its purpose, and whether it also comes by mail. */
  receiptNote: string
  formAnswer: VoterSignInAnswer | undefined
  /** Idempotency key for the form that is sent without the page's script. */
  idempotencyKey: string
  onCast: (votePlace: number) => void
  /** Is called to start the vote anew after a failed sign-in with Google. */
  onChoose: (votePlace: number) => void
  onClose: () => void
}

/** Looks of the close button in the steps where it is no outline: `main` where it is the only button, otherwise `quiet`. */
const CLOSE_BUTTON_LOOKS: Partial<Record<VoteWindowStep['name'], 'main' | 'quiet'>> = {
  'sign-in': 'quiet',
  confirm: 'quiet',
  done: 'quiet',
  closed: 'main',
  withdrawn: 'main',
  outdated: 'quiet',
  invalid: 'main',
}

export function VoteWindow({ step: currentStep, isOverlay, onClose, ...props }: Props) {
  const { candidates } = props
  const candidate =
    'votePlace' in currentStep ? candidates.find(({ votePlace }) => votePlace === currentStep.votePlace) : undefined
  const isAsking = currentStep.name === 'sign-in' || currentStep.name === 'confirm'
  const [title, body] = describeStep(currentStep, candidate, props)
  return (
    <Dialog
      // Each step is a new dialog, whose heading takes the focus, so that screen readers announce it.
      key={currentStep.name}
      title={title}
      kicker={isAsking || currentStep.name === 'sending' ? 'Tu voto para' : undefined}
      sidePicture={
        candidate && isAsking ? (
          <Photo
            picture={candidate.portrait}
            sizes="(max-width: 640px) 7rem, 23rem"
            className={joinClasses(toneClass(candidate.tone), styles.portrait)}
          />
        ) : candidate && currentStep.name === 'done' ? (
          <LitWheel candidate={candidate} />
        ) : undefined
      }
      isOpen={isOverlay}
      onClose={onClose}
      closedUrl="/misspopularidad"
      closeLook={CLOSE_BUTTON_LOOKS[currentStep.name] ?? 'outline'}
      className={joinClasses(
        styles.dialog,
        currentStep.name === 'done' ? styles.done : !isAsking && styles.withoutPortrait,
      )}
    >
      {body}
    </Dialog>
  )
}

function describeStep(
  currentStep: VoteWindowStep,
  candidate: VotableCandidate | undefined,
  {
    countdown,
    year,
    siteOrigin,
    closingText,
    closedWindow,
    hasGoogle,
    receiptNote,
    formAnswer,
    idempotencyKey,
    onCast,
    onChoose,
  }: Omit<Props, 'step' | 'isOverlay' | 'onClose'>,
): [title: string, body: ReactNode] {
  const name = candidate?.name ?? ''
  switch (currentStep.name) {
    case 'sign-in':
      return [
        name,
        <SignIn
          key="entrada"
          votePlace={currentStep.votePlace}
          candidateId={candidate?.id}
          hasGoogle={hasGoogle}
          formAnswer={formAnswer}
          onSignedIn={() => onCast(currentStep.votePlace)}
        />,
      ]
    case 'confirm':
      return [
        name,
        <Form
          key="confirmar"
          method="post"
          action="/misspopularidad"
          className={styles.confirm}
          onSubmit={(event) => {
            event.preventDefault()
            onCast(currentStep.votePlace)
          }}
        >
          <p>Tienes un solo voto en esta edición, y no se puede cambiar.</p>
          <input type="hidden" name="vote" value={currentStep.votePlace} />
          <input type="hidden" name="candidata" value={candidate?.id} />
          <input type="hidden" name="intento" value={idempotencyKey} />
          <Button type="submit" look="main" name="hacer" value="votar">
            Confirmar mi voto
          </Button>
        </Form>,
      ]
    case 'sending':
      return [
        name,
        <div key="enviando" className={styles.sending} role="status">
          <progress aria-label="Registrando tu voto" />
          <p>
            {currentStep.isWorking
              ? 'Hay mucho movimiento en tu red: comprobamos que eres una persona. Toma unos segundos.'
              : 'Registrando tu voto…'}
          </p>
        </div>,
      ]
    case 'done':
      return [
        THANKS_MESSAGE,
        <Thanks
          key="done"
          candidate={candidate}
          receipt={currentStep.receipt}
          year={year}
          siteOrigin={siteOrigin}
          note={receiptNote}
        />,
      ]
    case 'already-voted':
      return [
        ALREADY_VOTED_MESSAGE,
        // A plain form loads the page anew for the next person.
        <form key="ya" method="post" action="/misspopularidad" className={styles.message}>
          <p>Cada persona tiene un voto en esta edición, y el tuyo ya está en la cuenta.</p>
          <input type="hidden" name="vote" value={currentStep.votePlace} />
          <Button type="submit" look="outline" name="hacer" value="otro">
            Vota otra persona
          </Button>
        </form>,
      ]
    case 'closed':
      return [closedWindow.title, <p key="cerrada">{closedWindow.text}</p>]
    case 'withdrawn':
      return countdown
        ? [
            'Elige a otra candidata',
            <p key="retirada">{WITHDRAWN_CANDIDATE_MESSAGE}: tu voto sigue sin usarse, elige a otra.</p>,
          ]
        : [`${WITHDRAWN_CANDIDATE_MESSAGE}.`, <p key="retirada">La votación cerró el {closingText}.</p>]
    case 'outdated':
      return [
        'La lista de candidatas cambió',
        <div key="cambio" className={styles.message}>
          <p>No se usó tu voto: esta página es de antes del cambio. Abre la lista de ahora y elige a tu candidata.</p>
          <a className={buttonLook('main')} href="/misspopularidad">
            Ver la lista de ahora
          </a>
        </div>,
      ]
    case 'invalid':
      return [
        'Ese enlace no es de ninguna candidata',
        <p key="invalido">No se usó tu voto. Elige a tu candidata en esta página y pulsa Votar.</p>,
      ]
    case 'google-failed':
      return [
        'No pudiste entrar con Google',
        <div key="google" className={styles.message}>
          <p>No se usó tu voto. Inténtalo de nuevo, o entra con un código que te enviamos por correo.</p>
          {currentStep.votePlace !== undefined && (
            <Button look="main" onClick={() => onChoose(currentStep.votePlace!)}>
              Seguir con mi voto
            </Button>
          )}
        </div>,
      ]
    case 'work-failed':
      return [
        'Tu voto todavía no se registró',
        <div key="prueba" className={styles.message}>
          <p>
            Hay mucho movimiento en tu red, o en tu tipo de correo: antes de contar tu voto, tu navegador hace un
            cálculo de unos segundos, y no lo consiguió. Le hace falta JavaScript, o una versión más reciente. Abre el
            enlace con otro navegador, o vota desde otra red.
          </p>
          <Button look="main" className={styles.retry} onClick={() => onCast(currentStep.votePlace)}>
            Hacerlo ahora
          </Button>
        </div>,
      ]
    case 'no-answer':
      return [
        'No pudimos registrar tu voto',
        <div key="red" className={styles.message}>
          <p>No llegó respuesta. Revisa tu conexión e inténtalo de nuevo: si tu voto ya se contó, no se repite.</p>
          <Button look="main" onClick={() => onCast(currentStep.votePlace)}>
            Reintentar
          </Button>
        </div>,
      ]
  }
}
