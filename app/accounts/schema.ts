import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import { checkAddress } from '#app/core/text/email-address.ts'
import { typedText } from '#app/core/text/typed-text.ts'

/**
 * What an account is for. An organiser does all (`admin`), or one part: reviews entries, watches the count, writes the
 * site, keeps the table of the final's night. `jurado` is a judge, of one evening.
 */
export type Role = 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa'

/** Why no code is sent. */
export type CodeRequestRefusal =
  | 'correo'
  | 'cookies'
  | 'espera'
  | 'trabajo'
  /** Too many codes were asked for near this visitor that were not used. */
  | 'red-llena'
  /** The day's part of the mail that codes may take has gone out. */
  | 'cuota'

/** What /entrar answers. */
export type SignInResponse =
  | { ok: true }
  | { ok: false; reason: SignInRefusal | CodeRequestRefusal | 'peticion'; retrySeconds?: number; reto?: WorkChallenge }

/** What GET /entrar answers: work for the code that this browser is going to ask for. */
export interface WorkOffer {
  reto: WorkChallenge
}

/** What /sesion tells the frame of who is signed in. */
export interface CurrentSession {
  correo: string
  rol: Role | null
  /** Milliseconds until it ends, unless it is used. */
  quedanMs: number
  /** Whether it is an organiser's, which ends without use. */
  esDeOrganizacion: boolean
  /** Milliseconds for which it still opens the results. */
  resultadosMs: number
}

/** Name of the field in which the password is said again. */
export const REAUTH_PASSWORD_FIELD = 'confirmo'

/** Name of the field with a passkey that takes its place. */
export const REAUTH_PASSKEY_FIELD = 'confirmo-llave'

/** What a passkey is for: at the door, after the password, instead of the password said again, or to be made. */
export type PasskeyPurpose = 'entrar' | 'segundo' | 'confirmo' | 'alta'

/** What was sent and not carried out, until its person has said the password again. */
export interface AwaitingReauthentication {
  porConfirmar: true
  /** Everything that was sent, in its order. */
  campos: [name: string, value: string][]
  /** Whether a passkey of the account can take the password's place. */
  conLlave: boolean
  /** What was wrong with the password. */
  mensaje?: string
}

export const MIN_PASSWORD_CHARACTERS = 12
/** A longer password costs the site time and gains nothing. */
export const MAX_PASSWORD_CHARACTERS = 128

/**
 * A mail address as the site keeps it: checked, in lower case.
 * @returns undefined when no message could be sent to it safely
 */
export function readEmail(text: unknown): string | undefined {
  const checked = typeof text === 'string' ? checkAddress(text) : undefined
  return checked?.ok ? checked.address.toLowerCase() : undefined
}

/** A one-time code as people type or paste it, with spaces and hyphens between its six digits. */
export function readCode(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined
  const code = typedText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
  return /^[0-9]{6}$/.test(code) ? code : undefined
}

/** Why somebody is not let in. Press and organisers read the same sentence whatever the reason (§8). */
export type SignInRefusal =
  /** The browser brings no cookie back, so no code can be its own. */
  | 'cookies'
  /** Unknown account, wrong password, wrong or used code, an account that enters another way. */
  | 'credenciales'
  /** Too many attempts: of this account, or from this network. */
  | 'espera'
  /** More people are signing in than this machine can check at once: work gets one further ahead. */
  | 'saturado'
