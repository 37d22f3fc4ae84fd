import type { CodeRequestRefusal, SignInRefusal } from '#app/accounts/schema.ts'
import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import type { Tone } from '#app/ui/styles/tone.ts'

export type VoteRefusal =
  /** The account, or another account of the same mailbox, has already voted in the edition. */
  | 'ya-votaste'
  /** The vote has not opened yet. */
  | 'antes'
  | 'cerrada'
  /** The link or form names no candidate. */
  | 'candidata'
  /** The candidate has been withdrawn. */
  | 'retirada'
  /** Another candidate stands at this place than on the visitor's outdated page. */
  | 'cambio'
  /** No voter is signed in. */
  | 'sesion'
  /** The browser has to solve the challenge `reto`: an origin of the vote has many votes, or the address is disposable. */
  | 'prueba'

export type VoteAnswer = { ok: true; recibo: string } | { ok: false; reason: VoteRefusal; reto?: WorkChallenge }

export const VOTE_HTTP_STATUS = {
  'ya-votaste': 409,
  antes: 403,
  cerrada: 403,
  candidata: 400,
  retirada: 410,
  cambio: 409,
  sesion: 401,
  prueba: 428,
} as const satisfies Record<VoteRefusal, number>

export const WITHDRAWN_CANDIDATE_MESSAGE = 'Esta candidata ya no participa en el certamen'
/** @source §8 */
export const ALREADY_VOTED_MESSAGE = 'Ya has votado con este correo.'
/** @source §8 */
export const THANKS_MESSAGE = '¡Gracias! Tu voto ha sido registrado.'

/** A candidate as the vote's screens show her. */
export interface VotableCandidate {
  /** Place in the vote's order, from 0; links name a candidate by it. */
  votePlace: number
  id: string
  name: string
  hometown: string
  tone: Tone
  photo: Picture
  portrait: Picture
}

export type VoteWindowStep =
  /** The visitor signs in, by a mailed code or with Google. */
  | { name: 'sign-in'; votePlace: number }
  /** The visitor has to confirm the vote: always without JavaScript, otherwise after another site's link, a reload, Back or Forward. */
  | { name: 'confirm'; votePlace: number }
  /** The vote is being sent. `isWorking` says that the browser solves a challenge, or sends the vote again with the solution. */
  | { name: 'sending'; votePlace: number; isWorking: boolean }
  | { name: 'done'; votePlace: number; receipt: string }
  | { name: 'already-voted'; votePlace: number }
  /** The vote is over, or has not opened yet. */
  | { name: 'closed' }
  /** The link or form names no candidate. */
  | { name: 'invalid' }
  /** The candidate has been withdrawn. */
  | { name: 'withdrawn' }
  /** The list of candidates has changed since the page was loaded. */
  | { name: 'outdated' }
  /** The sign-in with Google failed. `votePlace` is undefined without JavaScript, and if this tab remembers no valid place. */
  | { name: 'google-failed'; votePlace?: number | undefined }
  /** No JSON answer came, or the code for the proof of work could not be loaded. The URL keeps `?vote=` for a retry. */
  | { name: 'no-answer'; votePlace: number }
  /** The proof of work could not be solved, for example without JavaScript. */
  | { name: 'work-failed'; votePlace: number }

export type VoteStep =
  /** No vote is under way. */
  | { name: 'idle' }
  /** The window's code is loading. */
  | { name: 'opening' }
  /** The window's code could not be loaded. The URL keeps `?vote=` for a retry. */
  | { name: 'window-missing' }
  | VoteWindowStep

/** Answer to a sign-in form that was sent without the page's script. */
export interface VoterSignInAnswer {
  email: string
  /** Whether the visitor has requested a code, and is asked for it now. */
  isSent: boolean
  error?: string | undefined
}

const formatWait = (seconds: number) =>
  seconds < 90 ? `${Math.max(1, seconds)} segundos` : `${Math.ceil(seconds / 60)} minutos`

/** The newest block of the published chain. */
export interface NewestBlock {
  number: number
  seal: string
  /** Minimum number of ballots in every block but the vote's last. */
  minBallots: number
  /** Number of ballots in this block and in all earlier blocks. */
  totalBallots: number
}

type VoterSignInRefusal = CodeRequestRefusal | SignInRefusal | 'peticion' | 'red'
/** Messages about a failed sign-in, which say what the visitor can do. If no answer came, the reason is `red`. */
export const VOTER_SIGN_IN_MESSAGES: Record<VoterSignInRefusal, (seconds: number) => string> = {
  correo: () => 'Escribe tu correo completo, como nombre@ejemplo.mx, sin acentos ni espacios.',
  cookies: () =>
    'Este navegador no guarda cookies, y sin ellas ningún código te deja entrar. Permítelas en sus ajustes, o abre esta página en Chrome o en Safari: tu voto sigue sin usarse.',
  credenciales: () => 'Ese código no es, o ya venció. Revisa los seis dígitos del último correo, o pide otro.',
  espera: (seconds: number) => `Han sido muchos intentos seguidos. Podrás hacer otro en ${formatWait(seconds)}.`,
  saturado: () => 'Está entrando mucha gente a la vez. Inténtalo de nuevo en un momento.',
  trabajo: (seconds: number) =>
    `Tu navegador no pudo hacer un cálculo que pedimos antes de enviar códigos; sin él, van más despacio. Pídelo de nuevo en ${formatWait(seconds)}: tu correo se queda escrito.`,
  'red-llena': (seconds: number) =>
    `Desde tu red se pidieron muchos códigos que nadie ha usado. Pide el tuyo en ${formatWait(seconds)}, o desde otra conexión, como los datos de tu teléfono.`,
  cuota: (seconds: number) =>
    `Por ahora el correo del sitio no puede mandar tu código. Pídelo en ${formatWait(seconds)}: tu voto sigue sin usarse.`,
  peticion: () => 'Algo no llegó completo. Recarga la página e inténtalo de nuevo.',
  red: () => 'No llegó respuesta. Revisa tu conexión e inténtalo de nuevo.',
}
