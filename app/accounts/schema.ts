import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import { checkAddress } from '#app/core/text/email-address.ts'
import { typedText } from '#app/core/text/typed-text.ts'

/**
 * The role of an account. An organiser does all (`admin`), or one part: reviews entries, watches the count, writes the
 * site, keeps the judging table. `jurado` is a judge, for one evening.
 */
export type Role = 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa'

/** Why no code is sent. */
export type CodeRequestRefusal =
  | 'correo'
  | 'cookies'
  | 'espera'
  | 'trabajo'
  /** The visitor's neighbourhood has too many unused codes. */
  | 'red-llena'
  /** The share of the day's mail that codes may take has gone out. */
  | 'cuota'

/** The answer of POST /entrar. */
export type SignInResponse =
  | { ok: true }
  | { ok: false; reason: SignInRefusal | CodeRequestRefusal | 'peticion'; retrySeconds?: number; reto?: WorkChallenge }

/** The answer of GET /entrar: the proof of work for this browser's next code. */
export interface WorkOffer {
  reto: WorkChallenge
}

/** The answer of GET /sesion, for the frame of the page. */
export interface CurrentSession {
  correo: string
  rol: Role | null
  /** Milliseconds until the session ends, unless it is used. */
  quedanMs: number
  /** Whether the session is an organiser's, which ends without use. */
  esDeOrganizacion: boolean
  /** Milliseconds for which the session still opens the results. */
  resultadosMs: number
}

/** Form field with the password of a reauthentication. */
export const REAUTH_PASSWORD_FIELD = 'confirmo'

/** Form field with a passkey's answer in the password's place. */
export const REAUTH_PASSKEY_FIELD = 'confirmo-llave'

/** Purpose of a passkey: sign-in, second factor, reauthentication, or registration of a new passkey. */
export type PasskeyPurpose = 'entrar' | 'segundo' | 'confirmo' | 'alta'

/** A submission on hold until its person has reauthenticated. */
export interface AwaitingReauthentication {
  porConfirmar: true
  /** All submitted fields but passwords and files, in their order. */
  campos: [name: string, value: string][]
  /** Whether a passkey of the account can replace the password. */
  conLlave: boolean
  /** Why the last proof was refused. */
  mensaje?: string
}

export const MIN_PASSWORD_CHARACTERS = 12
/** A longer password costs the site time and gains nothing. */
export const MAX_PASSWORD_CHARACTERS = 128

/**
 * Reads a mail address as the site keeps it: checked, in lower case.
 * @returns undefined when no message could be sent to it safely
 */
export function readEmail(text: unknown): string | undefined {
  const checked = typeof text === 'string' ? checkAddress(text) : undefined
  return checked?.ok ? checked.address.toLowerCase() : undefined
}

/** Reads a one-time code as people type or paste it, with spaces and hyphens between its six digits. */
export function readCode(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined
  const code = typedText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
  return /^[0-9]{6}$/.test(code) ? code : undefined
}

/** Why a sign-in is refused. Press and organisers read the same sentence for every reason (§8). */
export type SignInRefusal =
  /** The browser brings no cookie back, so no code can belong to it. */
  | 'cookies'
  /** Unknown account, wrong password, wrong or used code, or an account that signs in another way. */
  | 'credenciales'
  /** Too many attempts on this account, or from this network. */
  | 'espera'
  /** More people are signing in than this machine can check at once; proof of work moves an attempt ahead. */
  | 'saturado'
