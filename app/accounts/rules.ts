import { normalized } from '#app/core/text/typed-text.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS, type Role } from './schema.ts'

/** Protected resources, and the roles that open them. The screen «Personas» shows this table. */
export const PERMISSIONS = {
  /** Press pages and the files that they offer. @source D21 */
  prensa: ['prensa', 'admin'],
  /** Original documents of entries, without a watermark. @source D15 */
  archivos: ['admin'],
  /** The current count of votes. @source §2.15, §6 */
  resultados: ['admin', 'conteo'],
  /** Sealing records, annulling votes, proclaiming the winner. */
  votos: ['admin'],
  /** The frame of the organisers' panel, and the account of the person. */
  organizadores: ['admin', 'revision', 'conteo', 'sitio', 'notaria'],
  /** Entries, decisions about entries, and their documents but those of `cuerpo`. */
  inscripciones: ['admin', 'revision'],
  /** Swimsuit photographs. */
  cuerpo: ['admin'],
  /** Writing messages, and sending them. */
  mensajes: ['admin', 'revision'],
  personas: ['admin'],
  bitacora: ['admin'],
  /** An edition's periods, its opening, the withdrawal of a candidate. */
  edicion: ['admin'],
  /** Deletions and retention. */
  privacidad: ['admin'],
  /** The health of the machine and of the services around the site. */
  estado: ['admin'],
  /** The content of the site. */
  sitio: ['admin', 'sitio'],
  /** Counts of visits. */
  visitas: ['admin', 'sitio'],
  /** The judging table of the final. */
  final: ['admin', 'notaria'],
  /** A judge's sheet. */
  jurado: ['jurado'],
} satisfies Record<string, Role[]>

export type Resource = keyof typeof PERMISSIONS

/** The resources in Spanish, for «Personas». */
export const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  prensa: 'Abrir el material de prensa',
  archivos: 'Abrir documentos originales, sin marca',
  resultados: 'Ver el conteo de votos',
  votos: 'Sellar actas, anular votos y proclamar',
  organizadores: 'Entrar al panel y a su propia cuenta',
  inscripciones: 'Revisar inscripciones y sus documentos',
  cuerpo: 'Ver fotos de cuerpo completo en traje de baño',
  mensajes: 'Escribir y mandar mensajes',
  personas: 'Invitar, acreditar y dar de baja',
  bitacora: 'Leer la bitácora',
  edicion: 'Mover periodos, abrir ediciones y retirar candidatas',
  privacidad: 'Borrar inscripciones y cambiar plazos',
  estado: 'Ver cómo está el sitio por dentro',
  sitio: 'Escribir y publicar el sitio',
  visitas: 'Ver quién visitó el sitio',
  final: 'Llevar la mesa de la noche de la final',
  jurado: 'Calificar en la noche de la final',
}

/** Whether a role opens a resource; null: signed in without a role, undefined: not signed in. */
export const may = (role: Role | null | undefined, resource: Resource): boolean =>
  (PERMISSIONS[resource] as (Role | null | undefined)[]).includes(role)

/** The roles that enter the panel. */
export const ORGANISER_ROLES: readonly Role[] = PERMISSIONS.organizadores

const MINUTE_MS = 60_000

/** For how long after its sign-in an organiser's session opens the results: 1,800,000 ms. @source §6, §9 */
export const RESULTS_ACCESS_MS = 30 * MINUTE_MS
/** An organiser's session ends so long after its last use. */
export const IDLE_TIMEOUT_MS = 30 * MINUTE_MS
/** An organiser's session ends so long after its sign-in, used or not. */
const ORGANISER_SESSION_MS = 8 * 60 * MINUTE_MS
const SESSION_MS = 24 * 60 * MINUTE_MS

/** How long a session lasts at most from sign-in. */
export const sessionMs = (role: Role | null): number => (may(role, 'organizadores') ? ORGANISER_SESSION_MS : SESSION_MS)

/** How long after the password dangerous actions need no reauthentication: a found open session must not suffice. */
export const REAUTHENTICATION_MS = 10 * MINUTE_MS

/** How long a requested withdrawal of an `admin` waits, so that any other organiser can stop it. */
export const DEACTIVATION_HOURS = 24

/** How long a link for a forgotten password, or past the waits, holds. */
export const PASSWORD_RESET_MINUTES = 60

/** How long the code that verifies a new address holds, and how often it may be tried. */
export const EMAIL_CHANGE_MINUTES = 15
export const MAX_EMAIL_CHANGE_ATTEMPTS = 5

/** Time step of TOTP codes. @source RFC 6238, section 5.2 */
export const TOTP_STEP_SECONDS = 30

/** How long the secret of a new authenticator app is shown. */
export const SECRET_SHOWN_MINUTES = 15

export const RECOVERY_CODE_COUNT = 10

/** How long a device may take to answer with a passkey, and how many passkeys an account has at most. */
export const PASSKEY_CHALLENGE_MINUTES = 5
export const MAX_PASSKEYS = 20

/** How long a browser may take from the password to the second factor, and how often it may try. */
export const PENDING_SIGN_IN_MINUTES = 10
export const MAX_PENDING_SIGN_IN_ATTEMPTS = 5

/** How long the link to set an account's first password holds. */
export const PASSWORD_LINK_DAYS = 7

/** How long a one-time code holds, and how often it may be tried. */
export const CODE_MINUTES = 10
export const MAX_CODE_ATTEMPTS = 3

/**
 * Checks the path that a sign-in leads on to, so that it is no open redirect.
 * @returns a path of this site; `otherwise` for anything that a browser could take for another site
 */
export function within(next: unknown, otherwise: string): string {
  if (typeof next !== 'string' || next.length > 300 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return otherwise
  const base = 'https://aqui.invalid'
  const url = URL.parse(next, base)
  return url?.origin === base && !/[\\]|^\/\//.test(url.pathname) ? url.pathname + url.search : otherwise
}

/**
 * How often an attempt is allowed: the first ones at will, the others after waits that begin with `seconds` and double up
 * to `maxSeconds`.
 */
export interface Limit {
  free: number
  seconds: number
  maxSeconds: number
  /** After this long without an attempt the count begins anew. */
  resetSeconds: number
}

/**
 * Leaky bucket of a network address that a whole town may share: a burst at once, then so many attempts a second; no
 * attempt is shut out for good.
 */
export interface Rate {
  burst: number
  perSecond: number
}

export const LIMITS = {
  /** Passwords tried on an account by one device that has entered it before. */
  equipo: { free: 5, seconds: 15, maxSeconds: 900, resetSeconds: 86_400 },
  /** Passwords tried on one account by all unknown browsers. */
  cuenta: { free: 5, seconds: 15, maxSeconds: 900, resetSeconds: 86_400 },
  /** Passkeys tried at the login wall from one network address; right ones do not count. */
  redLlave: { burst: 60, perSecond: 1 },
  /** Second factors tried after the right password: on one known device, and on one account by all unknown browsers. */
  segundo: { free: 5, seconds: 60, maxSeconds: 3_600, resetSeconds: 86_400 },
  /** Passwords tried from one network address, which a press room may share. */
  red: { free: 40, seconds: 5, maxSeconds: 300, resetSeconds: 3_600 },
  /** Codes that one browser asks for, for one mail address. */
  envio: { free: 3, seconds: 60, maxSeconds: 900, resetSeconds: 3_600 },
  /** Codes asked for from one network address. */
  envioRed: { burst: 300, perSecond: 5 },
  /** Codes asked for without proof of work, from one network and from all networks together. */
  sinTrabajoRed: { burst: 30, perSecond: 1 / 60 },
  sinTrabajo: { burst: 300, perSecond: 1 },
  /** Messages with a code to one mail address; beyond the limit no message goes out, and the last code holds. */
  mensajes: { burst: 4, perSecond: 1 / 300 },
  /** Mailed links for a forgotten password or past the waits, for one mail address and from one network address. */
  recuperacion: { free: 3, seconds: 300, maxSeconds: 3_600, resetSeconds: 86_400 },
  recuperacionRed: { burst: 20, perSecond: 1 / 60 },
  /** Redirects to Google for one network address; callbacks have the same limit and another count. */
  googleRed: { burst: 300, perSecond: 5 },
  /** Codes tried by one browser for one mail address, over all codes that the browser asked for. */
  codigo: { free: 9, seconds: 60, maxSeconds: 900, resetSeconds: 86_400 },
  /** Codes tried from one network address; right ones do not count. */
  redCodigo: { burst: 200, perSecond: 2 },
} satisfies Record<string, Limit | Rate>

/** Leak of a neighbourhood's count of unused codes: one in three minutes. */
export const UNUSED_LEAK_PER_SECOND = 1 / 180
/** Leak of the counts of used codes, by neighbourhood and by mail domain: one a day. */
export const USED_LEAK_PER_SECOND = 1 / 86_400

const MIN_WORK = 512
/** The most work, in tries, that other networks can bring on a visitor: half a minute on a cheap phone. */
const MAX_SHARED_WORK = 8_192
/** The most work for one code, in tries: two minutes on a cheap phone, while the work is in force for ten. */
const MAX_WORK = 32_768
/** Unused codes that a neighbourhood may have before its work grows; each used code allows two more. */
const OPEN_CODES_BUDGET = 20
/** So many unused codes beyond the budget double the neighbourhood's work. */
const NETWORK_DOUBLING_STEP = 5
/** After so many doublings a neighbourhood gets no more codes until some are used or leak away. */
const MAX_NETWORK_DOUBLINGS = 6
/** So many unused codes of all networks double everybody's work. */
const GLOBAL_DOUBLING_STEP = 400

/** The work, in tries, that moves an unknown browser's password ahead while the queue of hashes is full. */
export const PASSWORD_WORK = 1_024

/** Codes of the last minutes: sent, used, and wrong attempts. */
export interface CodeCounts {
  enviados: number
  usados: number
  fallos: number
}

/** Codes that a neighbourhood asked for. */
export interface Neighbourhood {
  /** Sent and not used. */
  open: number
  used: number
}

const doublingsOf = ({ open, used }: Neighbourhood) =>
  Math.max(0, Math.floor((open - OPEN_CODES_BUDGET - 2 * used) / NETWORK_DOUBLING_STEP))

/** How many more codes a neighbourhood may ask for, until some are used or leak away. */
export const codeRoomIn = ({ open, used }: Neighbourhood): number =>
  Math.max(0, OPEN_CODES_BUDGET + 2 * used + MAX_NETWORK_DOUBLINGS * NETWORK_DOUBLING_STEP - open)

/** Whether a neighbourhood uses its codes; its requests then go before others. */
export const isProven = (neighbourhood: Neighbourhood): boolean =>
  neighbourhood.used > 0 && doublingsOf(neighbourhood) === 0

/**
 * The proof of work for a code; a visitor's browser usually does it while she types her address.
 * @returns the least number of tries
 */
export function workForCode(neighbourhood: Neighbourhood, { enviados, usados, fallos }: CodeCounts): number {
  const ofAll = Math.floor(Math.max(0, enviados - usados, fallos / 2) / GLOBAL_DOUBLING_STEP)
  const shared = Math.min(MAX_SHARED_WORK, MIN_WORK * 2 ** Math.min(ofAll, 30))
  return Math.min(MAX_WORK, shared * 2 ** Math.min(doublingsOf(neighbourhood), 30))
}

const MIN_CODE_ALARM = 150
/** Whether far more codes are sent than used, as when a script sends them to strangers. */
export const isCodeAlarm = ({ enviados, usados }: CodeCounts): boolean =>
  enviados - usados >= MIN_CODE_ALARM && usados * 3 < enviados

export type PasswordRefusal = 'corta' | 'larga' | 'comun'

/** Words and keyboard rows that people build passwords from, in Spanish and English. */
const COMMON_WORDS = `
abc abcd abcdef abcdefgh abcdefghijkl admin administrador administrator adios alejandra alejandro amigo amigos amor amores amorcito
andrea angel angeles angelito asdf asdfg asdfgh asdfghjkl azahares azul baseball bebe bienvenida bienvenido bonita cambiar cambiame
camila candidata candidatas carlos certamen changeme chivas chocolate clave colombia computadora contrasena contrasenia corazon corona
cristina cruzazul daniel daniela default demo diana dios dragon eduardo entrar estrella estrellita facebook familia felicidad feria
fernando fernanda football francisco futbol gabriel gatito google guadalajara guadalupe guapa guest hello hermosa hola iloveyou
instagram invitado jalisco jesus jesuschrist jesuscristo jose juan karla laura letmein linda liverpool lupita luis manager mariana maria
mariposa mario master medios mexico miamor miguel miss mivida monica monkey nacional natalia notocar nueva oficial oracle organizacion
ortiz password passw0rd patricia pedro periodista perro popularidad prensa princesa princess prueba querty qazwsx qazwsxedc qweasd
qweasdzxc qwer qwerty qwertyui qwertyuiop reina roberto rosa samsung sandra santiago secret secreta secreto senorita servidor shadow
siempre sistema sofia sol soporte starwars sunshine superman tequiero teamo temporal test tigres trustno usuario valentina valeria
vanessa verano veronica victoria vida virgen welcome whatever yolanda zapopan zxcv zxcvbn zxcvbnm`
  .trim()
  .split(/\s+/)
  .sort((a, b) => b.length - a.length)

const DISGUISES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const ROWS = [
  '01234567890',
  'abcdefghijklmnñopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjklñ',
  'zxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb',
]
const MIN_DISTINCT = 6
/** Distinct characters that a password needs besides its common parts. */
const MIN_OWN_CHARACTERS = 5

/**
 * Checks a new password.
 * @param email the account's address, whose parts count as common words
 * @returns why not; undefined when it will do
 */
export function refusePassword(password: string, email: string): PasswordRefusal | undefined {
  const normal = normalized(password, 'NFKC')
  const length = [...normal].length
  if (length < MIN_PASSWORD_CHARACTERS) return 'corta'
  if (length > MAX_PASSWORD_CHARACTERS) return 'larga'
  const plain = normal
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  if (new Set(plain).size < MIN_DISTINCT) return 'comun'
  const undisguised = [...plain].map((character) => DISGUISES[character] ?? character).join('')
  const names = email.split(/[@.+_-]/).filter((name) => name.length > 2)
  return [plain, undisguised].some((text) => own(text, names) < MIN_OWN_CHARACTERS) ? 'comun' : undefined
}

/** Counts the distinct characters left without common words, keyboard rows, years, repetitions and punctuation. */
function own(text: string, names: string[]): number {
  let left = text
  for (const row of [...ROWS, ...ROWS.map((row) => [...row].reverse().join(''))]) left = withoutRuns(left, row)
  for (const word of [...names, ...COMMON_WORDS]) left = left.replaceAll(word, ' ')
  left = left
    .replace(/(19|20)\d\d/g, ' ')
    .replace(/(.+?)\1+/g, '$1')
    .replace(/[^\p{L}\p{N}]/gu, '')
  return new Set(left).size
}

/** Takes out every piece of four or more characters that follows a keyboard row. */
function withoutRuns(text: string, row: string): string {
  let left = text
  for (let length = Math.min(row.length, text.length); length >= 4; length--)
    for (let at = 0; at + length <= row.length; at++) left = left.replaceAll(row.slice(at, at + length), ' ')
  return left
}
