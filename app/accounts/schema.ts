import type { WorkChallenge } from '#app/core/http/proof-of-work.ts'
import { checkEmailAddress } from '#app/core/text/email-address.ts'
import { typedText } from '#app/core/text/typed-text.ts'

/**
 * Role of an account. An organiser has the whole panel (`admin`) or one part: to review entries, watch the count, write the site,
 * or keep the judging table. `jurado` is a judge, for one evening; `prensa` is a journalist.
 */
export type Role = 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa'

export type CodeRequestRefusal =
  | 'correo'
  | 'cookies'
  | 'espera'
  | 'trabajo'
  /** The visitor's neighbourhood has too many unused codes. */
  | 'red-llena'
  /** Codes have used up their share of the day's mail quota, or the mail server accepts no mail. */
  | 'cuota'

/** Answer of POST /entrar; its keys are sent as JSON and stay Spanish. */
export type SignInResponse =
  | { ok: true }
  | {
      ok: false
      reason: SignInRefusal | CodeRequestRefusal | 'peticion'
      retrySeconds?: number
      /** Challenge of the reason `trabajo`, whose proof of work lets the next request pass. */
      reto?: WorkChallenge
      /** Spanish message in place of the reason's general one. */
      mensaje?: string
    }

/** Answer of GET /entrar: the proof-of-work challenge for this browser's next code. */
export interface WorkOffer {
  reto: WorkChallenge
}

/** Answer of GET /sesion: the current session, for the frame of the page. */
export interface CurrentSession {
  correo: string
  /** Role of the account; null for a voter. */
  rol: Role | null
  /** Time until the session ends if it is not used. */
  quedanMs: number
  /** Whether it is an organiser's session, which ends early if it is not used. */
  esDeOrganizacion: boolean
  /** Time for which the session still opens the results to a role that may see them; zero or less if it does not. */
  resultadosMs: number
}

export const REAUTH_PASSWORD_FIELD = 'confirmo'

/** Form field of a passkey's answer, in place of the password. */
export const REAUTH_PASSKEY_FIELD = 'confirmo-llave'

/** Why a passkey is asked for: to sign in, as second factor, to reauthenticate, or to register it (`alta`). */
export type PasskeyPurpose = 'entrar' | 'segundo' | 'confirmo' | 'alta'

/** A submission that the browser holds until its person has reauthenticated. */
export interface AwaitingReauthentication {
  isAwaitingReauthentication: true
  /** All submitted fields but passwords and files, in their order. */
  fields: [name: string, value: string][]
  /** Whether a passkey of the account can replace the password. */
  hasPasskey: boolean
  /** Why the last proof was refused, in Spanish. */
  message?: string
}

export const MIN_PASSWORD_CHARACTERS = 12
/** A longer password costs the site time and gains nothing. */
export const MAX_PASSWORD_CHARACTERS = 128

/**
 * Checks a mail address and returns it in lower case, as accounts have it.
 * @returns undefined if no mail could be sent to it safely
 */
export function parseEmail(text: unknown): string | undefined {
  const addressCheck = typeof text === 'string' ? checkEmailAddress(text) : undefined
  return addressCheck?.ok ? addressCheck.address.toLowerCase() : undefined
}

/** Returns the six digits of a one-time code without the spaces and hyphens that people type; undefined for another text. */
export function parseCode(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined
  const code = typedText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
  return /^[0-9]{6}$/.test(code) ? code : undefined
}

/** Why a sign-in fails. A password form shows one sentence for every reason (§8), and below it the overload or a wait. */
export type SignInRefusal =
  /** The browser returns no cookie, so that no code can belong to it. */
  | 'cookies'
  /** The account is unknown, not in force or signs in another way; or its password, code, second factor or passkey is not valid. */
  | 'credenciales'
  /** There were too many attempts on this account, or from this network or browser. */
  | 'espera'
  /** More people are signing in than this machine can check at once; proof of work moves an attempt forward. */
  | 'saturado'
