import type { Reto } from '#app/core/http/proof-of-work.ts'
import { checkAddress } from '#app/core/text/email-address.ts'
import { typedText } from '#app/core/text/typed-text.ts'

/**
 * What an account is for. An organiser does all (`admin`), or one part: reviews entries, watches the count, writes the
 * site, keeps the table of the final's night. `jurado` is a judge, of one evening.
 */
export type Rol = 'admin' | 'revision' | 'conteo' | 'sitio' | 'notaria' | 'jurado' | 'prensa'

/** Why no code is sent. */
export type MotivoDePedido =
  | 'correo'
  | 'cookies'
  | 'espera'
  | 'trabajo'
  /** Too many codes were asked for near this visitor that were not used. */
  | 'red-llena'
  /** The day's part of the mail that codes may take has gone out. */
  | 'cuota'

/** What /entrar answers. */
export type RespuestaDeEntrada =
  | { ok: true }
  | { ok: false; reason: MotivoDeAcceso | MotivoDePedido | 'peticion'; retrySeconds?: number; reto?: Reto }

/** What GET /entrar answers: work for the code that this browser is going to ask for. */
export interface TrabajoDado {
  reto: Reto
}

/** What /sesion tells the frame of who is signed in. */
export interface SesionDicha {
  correo: string
  rol: Rol | null
  /** Milliseconds until it ends, unless it is used. */
  quedanMs: number
  /** Whether it is an organiser's, which ends without use. */
  esDeOrganizacion: boolean
  /** Milliseconds for which it still opens the results. */
  resultadosMs: number
}

/** Name of the field in which the password is said again. */
export const CAMPO_DE_CONFIRMACION = 'confirmo'

/** Name of the field with a passkey that takes its place. */
export const CAMPO_DE_LLAVE = 'confirmo-llave'

/** What a passkey is for: at the door, after the password, instead of the password said again, or to be made. */
export type ParaLlave = 'entrar' | 'segundo' | 'confirmo' | 'alta'

/** What was sent and not carried out, until its person has said the password again. */
export interface PorConfirmar {
  porConfirmar: true
  /** Everything that was sent, in its order. */
  campos: [name: string, value: string][]
  /** Whether a passkey of the account can take the password's place. */
  conLlave: boolean
  /** What was wrong with the password. */
  mensaje?: string
}

export const MIN_CLAVE_CHARACTERS = 12
/** A longer password costs the site time and gains nothing. */
export const MAX_CLAVE_CHARACTERS = 128

/**
 * A mail address as the site keeps it: checked, in lower case.
 * @returns undefined when no message could be sent to it safely
 */
export function readCorreo(text: unknown): string | undefined {
  const checked = typeof text === 'string' ? checkAddress(text) : undefined
  return checked?.ok ? checked.address.toLowerCase() : undefined
}

/** A one-time code as people type or paste it, with spaces and hyphens between its six digits. */
export function readCodigo(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined
  const codigo = typedText(text)
    .normalize('NFKC')
    .replace(/[\s\p{Dash}]/gu, '')
  return /^[0-9]{6}$/.test(codigo) ? codigo : undefined
}

/** Why somebody is not let in. Press and organisers read the same sentence whatever the reason (§8). */
export type MotivoDeAcceso =
  /** The browser brings no cookie back, so no code can be its own. */
  | 'cookies'
  /** Unknown account, wrong password, wrong or used code, an account that enters another way. */
  | 'credenciales'
  /** Too many attempts: of this account, or from this network. */
  | 'espera'
  /** More people are signing in than this machine can check at once: work gets one further ahead. */
  | 'saturado'
