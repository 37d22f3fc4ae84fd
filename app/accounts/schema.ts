import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import { checkEmailAddress } from '#app/core/text/email-address.ts'
import { typedText } from '#app/core/text/typed-text.ts'

/**
 * The role of an account. An organiser does all (`admin`), or one part: reviews entries, watches the count, writes the
 * site, keeps the judging table. `jurado` is a judge, for one evening.
 */
export type Role = 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa'

export type CodeRequestRefusal =
  | 'correo'
  | 'cookies'
  | 'espera'
  | 'trabajo'
  /** The visitor's neighbourhood has too many unused codes. */
  | 'red-llena'
  /** Codes have used up their share of the day's mail quota, or the mail server takes no mail. */
  | 'cuota'

/** POST /entrar answers with a sign-in response. */
export type SignInResponse =
  | { ok: true }
  | { ok: false; reason: SignInRefusal | CodeRequestRefusal | 'peticion'; retrySeconds?: number; reto?: WorkChallenge }

/** GET /entrar answers with the proof of work for this browser's next code. */
export interface WorkOffer {
  reto: WorkChallenge
}

/** GET /sesion answers the frame of the page with the current session. */
export interface CurrentSession {
  correo: string
  rol: Role | null
  /** The session ends after this many milliseconds without use. */
  quedanMs: number
  /** True for an organiser's session, which ends early when it is not used. */
  esDeOrganizacion: boolean
  /** The session opens the results for this many more milliseconds; at zero or below, it no longer does. */
  resultadosMs: number
}

/** This form field holds the password of a reauthentication. */
export const REAUTH_PASSWORD_FIELD = 'confirmo'

/** This form field holds a passkey's answer in the password's place. */
export const REAUTH_PASSKEY_FIELD = 'confirmo-llave'

/** A passkey is asked for to sign in, as second factor, to reauthenticate, or to register it (`alta`). */
export type PasskeyPurpose = 'entrar' | 'segundo' | 'confirmo' | 'alta'

/** The browser holds this submission until its person has reauthenticated. */
export interface AwaitingReauthentication {
  isAwaitingReauthentication: true
  /** `fields` has all submitted fields but passwords and files, in their order. */
  fields: [name: string, value: string][]
  /** Whether a passkey of the account can replace the password. */
  hasPasskey: boolean
  /** `message` says in Spanish why the last proof was refused. */
  message?: string
}

export const MIN_PASSWORD_CHARACTERS = 12
/** A longer password costs the site time and gains nothing. */
export const MAX_PASSWORD_CHARACTERS = 128

/**
 * Checks a mail address and returns it in lower case, as the site stores it.
 * @returns undefined when no message could be sent to it safely
 */
export function readEmail(text: unknown): string | undefined {
  const addressCheck = typeof text === 'string' ? checkEmailAddress(text) : undefined
  return addressCheck?.ok ? addressCheck.address.toLowerCase() : undefined
}

/** Returns the six digits of a one-time code without the spaces and hyphens that people type; undefined: no such code. */
export function readCode(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined
  const code = typedText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
  return /^[0-9]{6}$/.test(code) ? code : undefined
}

/** A refusal says why a sign-in fails. Press and organisers read the same sentence for every reason (§8). */
export type SignInRefusal =
  /** The browser brings no cookie back, so no code can belong to it. */
  | 'cookies'
  /** The account is unknown or signs in another way, the password is wrong, or the code is wrong or used. */
  | 'credenciales'
  /** There were too many attempts on this account, or from this network. */
  | 'espera'
  /** More people are signing in than this machine can check at once; proof of work moves an attempt ahead. */
  | 'saturado'
