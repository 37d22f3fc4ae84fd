import type { Challenge } from 'altcha-lib/types'
import type { CodeRequestRefusal, SignInRefusal } from '#app/accounts/schema.ts'
import type { Picture } from '#app/ui/photos/photo.tsx'
import type { Tone } from '#app/ui/styles/tone.ts'

/** What a voter's browser works on where traffic is unusual. */
export type WorkChallenge = Challenge

export type VoteRefusal =
  /** This account, or one with the same address, has voted in this edition. */
  | 'ya-votaste'
  | 'cerrada'
  /** The link names no candidate. */
  | 'candidata'
  /** The candidate takes no part any more. */
  | 'retirada'
  /** The page shows another candidate at this place than the site by now. */
  | 'cambio'
  /** Nobody is signed in, or the session has ended. */
  | 'sesion'
  /** Unusual traffic: first some work (`reto`). */
  | 'prueba'

export type VoteAnswer = { ok: true; recibo: string } | { ok: false; reason: VoteRefusal; reto?: WorkChallenge }

export const VOTE_HTTP_STATUS = {
  'ya-votaste': 409,
  cerrada: 403,
  candidata: 400,
  retirada: 410,
  cambio: 409,
  sesion: 401,
  prueba: 428,
} as const satisfies Record<VoteRefusal, number>

export const NO_LONGER_TAKES_PART = 'Esta candidata ya no participa en el certamen'
/** @source §8 */
export const ALREADY_VOTED = 'Ya has votado con este correo.'
/** @source §8 */
export const THANKS = '¡Gracias! Tu voto ha sido registrado.'

/** A candidate as the vote shows her. */
export interface Votable {
  /** Her place in the vote's order, by which links name her. */
  indice: number
  id: string
  nombre: string
  origen: string
  tono: Tone
  foto: Picture
  retrato: Picture
}

/** A step of a vote that its window shows. */
export type WindowStep =
  /** Nobody is signed in: address, then code. */
  | { paso: 'entrar'; vote: number }
  /** The vote did not begin on this site (another one's link led here, say): the visitor confirms it by a press. */
  | { paso: 'confirmar'; vote: number }
  /** The vote is on its way; `trabaja`: this browser does the work that unusual traffic asks for. */
  | { paso: 'enviando'; vote: number; trabaja: boolean }
  | { paso: 'hecho'; vote: number; recibo: string }
  | { paso: 'ya-votaste'; vote: number }
  | { paso: 'cerrada' }
  | { paso: 'invalido' }
  /** The link is of a candidate who takes no part any more. */
  | { paso: 'retirada' }
  /** The page is from before the list of candidates changed. */
  | { paso: 'cambio' }
  /** Google sent the visitor back without a sign-in; `vote`: the candidate, if this tab still knows. */
  | { paso: 'sin-google'; vote?: number | undefined }
  /** No answer came; the address keeps the candidate. */
  | { paso: 'sin-red'; vote: number }
  /** The work that unusual traffic asks for could not be done: it takes the page's script. */
  | { paso: 'sin-prueba'; vote: number }

export type Step =
  /** Nothing is under way. */
  | { paso: 'nada' }
  /** The window's code is on its way. */
  | { paso: 'abriendo' }
  /** It cannot be had; the address keeps the candidate. */
  | { paso: 'sin-ventana' }
  | WindowStep

/** The answer to a voter's sign-in that was sent as a plain form. */
export interface VoterSignInAnswer {
  correo: string
  /** A code is on its way. */
  enviado: boolean
  error?: string | undefined
}

const enUnRato = (seconds: number) =>
  seconds < 90 ? `${Math.max(1, seconds)} segundos` : `${Math.ceil(seconds / 60)} minutos`

/** The newest link of the count's published chain. */
export interface NewestBlock {
  numero: number
  sello: string
  /** Least votes of a link. */
  minimo: number
  /** Votes in this link and all before it. */
  votos: number
}

type VoterSignInRefusal = CodeRequestRefusal | SignInRefusal | 'peticion' | 'red'
/** Why a voter is not let in yet, and what to do; `red`: no answer came. */
export const VOTER_SIGN_IN_MESSAGES: Record<VoterSignInRefusal, (seconds: number) => string> = {
  correo: () => 'Escribe tu correo completo, como nombre@ejemplo.mx, sin acentos ni espacios.',
  cookies: () =>
    'Este navegador no guarda cookies, y sin ellas ningún código te deja entrar. Permítelas en sus ajustes, o abre esta página en Chrome o en Safari: tu voto sigue sin usarse.',
  credenciales: () => 'Ese código no es, o ya venció. Revisa los seis dígitos del último correo, o pide otro.',
  espera: (seconds: number) => `Han sido muchos intentos seguidos. Podrás hacer otro en ${enUnRato(seconds)}.`,
  saturado: () => 'Está entrando mucha gente a la vez. Inténtalo de nuevo en un momento.',
  trabajo: (seconds: number) =>
    `Tu navegador no pudo hacer un cálculo que pedimos antes de enviar códigos; sin él, van más despacio. Pídelo de nuevo en ${enUnRato(seconds)}: tu correo se queda escrito.`,
  'red-llena': (seconds: number) =>
    `Desde tu red se pidieron muchos códigos que nadie ha usado. Pide el tuyo en ${enUnRato(seconds)}, o desde otra conexión, como los datos de tu teléfono.`,
  cuota: () =>
    'Por ahora ya salieron todos los códigos que el correo del sitio puede enviar. Inténtalo más tarde: tu voto sigue sin usarse.',
  peticion: () => 'Algo no llegó completo. Recarga la página e inténtalo de nuevo.',
  red: () => 'No llegó respuesta. Revisa tu conexión e inténtalo de nuevo.',
}
