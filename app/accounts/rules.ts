import { normalizeText } from '#app/core/text/typed-text.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS, type Role } from './schema.ts'

/** Roles that open each protected resource, as the screen «Personas» shows them. */
export const PERMISSIONS = {
  /** The press pages and their files (D21). */
  prensa: ['prensa', 'admin'],
  /** Original documents of entries, without a watermark (D15). */
  archivos: ['admin'],
  /** The current count of votes (§2.15, §6). */
  resultados: ['admin', 'conteo'],
  votos: ['admin'],
  /** The frame of the panel, and the organiser's own account. */
  organizadores: ['admin', 'revision', 'conteo', 'sitio', 'notaria'],
  /** Reading and deciding entries, with their documents but those of `cuerpo`. */
  inscripciones: ['admin', 'revision'],
  /** Swimsuit photographs. */
  cuerpo: ['admin'],
  mensajes: ['admin', 'revision'],
  personas: ['admin'],
  bitacora: ['admin'],
  /** Moving an edition's periods, opening an edition, withdrawing candidates. */
  edicion: ['admin'],
  privacidad: ['admin'],
  /** The health of the machine and of the services around the site. */
  estado: ['admin'],
  /** Writing and publishing the site's content. */
  sitio: ['admin', 'sitio'],
  visitas: ['admin', 'sitio'],
  /** The judging table of the final. */
  final: ['admin', 'notaria'],
  /** A judge's sheet. */
  jurado: ['jurado'],
} satisfies Record<string, Role[]>

export type Resource = keyof typeof PERMISSIONS

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

/**
 * Returns whether a role opens a resource.
 * @param role null for a signed-in voter, undefined for a visitor without a session; neither opens any resource
 */
export const may = (role: Role | null | undefined, resource: Resource): boolean =>
  (PERMISSIONS[resource] as (Role | null | undefined)[]).includes(role)

export const ORGANISER_ROLES: readonly Role[] = PERMISSIONS.organizadores

/** Time from the sign-in during which an organiser's session opens the results (§6, §9). */
export const RESULTS_ACCESS_MS = 30 * MINUTE_MS
/** Time without use after which an organiser's session ends. */
export const IDLE_TIMEOUT_MS = 30 * MINUTE_MS
/** Time from the sign-in after which an organiser's session ends, even in use. */
const ORGANISER_SESSION_MS = 8 * HOUR_MS
/** Time from the sign-in after which the session of a voter, a journalist or a judge ends. */
const SESSION_MS = DAY_MS

/** Returns the longest time from the sign-in that a session lasts. */
export const maxSessionMs = (role: Role | null): number =>
  may(role, 'organizadores') ? ORGANISER_SESSION_MS : SESSION_MS

/** Time from a sign-in or reauthentication until dangerous actions ask for another, to protect a session left open. */
export const REAUTHENTICATION_MS = 10 * MINUTE_MS

/** Delay of an `admin`'s deactivation from the panel, in which any `admin` can stop it. */
export const DEACTIVATION_HOURS = 24

/** Validity of a link for a forgotten password, or of a wait-bypass link. */
export const PASSWORD_RESET_MINUTES = 60

/** Validity of the code that verifies a new address. */
export const EMAIL_CHANGE_MINUTES = 15
export const MAX_EMAIL_CHANGE_ATTEMPTS = 5

/** Time for which an authenticator app shows a code, the default of RFC 6238, section 5.2. */
export const TOTP_STEP_SECONDS = 30

/** Time during which the secret of a new authenticator app can be shown. */
export const SECRET_SHOWN_MINUTES = 15

export const RECOVERY_CODE_COUNT = 10

/** Time in which a device must answer with a passkey. */
export const PASSKEY_CHALLENGE_MINUTES = 5
export const MAX_PASSKEYS = 20

/** Longest time between the password and the second factor. */
export const PENDING_SIGN_IN_MINUTES = 10
export const MAX_PENDING_SIGN_IN_ATTEMPTS = 5

/** Validity of the link to set an account's first password. */
export const PASSWORD_LINK_DAYS = 7

/** Validity of a one-time code. */
export const CODE_MINUTES = 10
export const MAX_CODE_ATTEMPTS = 3

/**
 * Checks the path to which a sign-in leads, so that the sign-in is no open redirect.
 * @returns a path of this site with its query; `fallback` for any other value, also for a path of more than 300 characters or with
 *   a blank or a letter beyond ASCII
 */
export function localPathOr(next: unknown, fallback: string): string {
  if (typeof next !== 'string' || next.length > 300 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return fallback
  const baseUrl = 'https://aqui.invalid'
  const url = URL.parse(next, baseUrl)
  return url?.origin === baseUrl && !/[\\]|^\/\//.test(url.pathname) ? url.pathname + url.search : fallback
}

/**
 * Lets the first `freeAttempts` attempts pass at once. Every later attempt has to wait: `firstWaitSeconds` at first, then twice as
 * long each time, at most `maxSeconds`.
 */
export interface BackoffLimit {
  freeAttempts: number
  firstWaitSeconds: number
  maxSeconds: number
  /** Time without an attempt after which the count begins anew. */
  resetSeconds: number
}

/**
 * A leaky bucket, as for a network address that a whole town may share. It lets `burst` attempts pass at once, then `perSecond`
 * attempts a second.
 */
export interface BucketLimit {
  burst: number
  perSecond: number
}

export const ATTEMPT_LIMITS = {
  /** Passwords from a known device of an account; also the reauthentications of an account. */
  knownDevice: { freeAttempts: 5, firstWaitSeconds: 15, maxSeconds: 900, resetSeconds: 86_400 },
  /** Passwords for one account from all unknown browsers together. */
  account: { freeAttempts: 5, firstWaitSeconds: 15, maxSeconds: 900, resetSeconds: 86_400 },
  /** Passkeys from one network address at the login wall; a right one is refunded. */
  passkeyNetwork: { burst: 60, perSecond: 1 },
  /** Second factors after the right password: from a known device, or from all unknown browsers of an account together. */
  secondFactor: { freeAttempts: 5, firstWaitSeconds: 60, maxSeconds: 3_600, resetSeconds: 86_400 },
  /** Passwords from the unknown browsers of one network address, which a press room may share. */
  network: { freeAttempts: 40, firstWaitSeconds: 5, maxSeconds: 300, resetSeconds: 3_600 },
  /** Requests from one browser for codes for one mail address. */
  codeRequest: { freeAttempts: 3, firstWaitSeconds: 60, maxSeconds: 900, resetSeconds: 3_600 },
  /** Requests for codes from one network address. */
  codeRequestNetwork: { burst: 300, perSecond: 5 },
  /** Requests for codes without proof of work, from one IPv4 address or one IPv6 /48. */
  worklessNetwork: { burst: 30, perSecond: 1 / 60 },
  /** Requests for codes without proof of work, from all networks together. */
  workless: { burst: 300, perSecond: 1 },
  /** Mails with a code to one mail address; beyond the limit, the newest mail's code serves further browsers while it is valid. */
  codeMail: { burst: 4, perSecond: 1 / 300 },
  /** Links to reset a password or to bypass the waits, for one mail address. */
  recovery: { freeAttempts: 3, firstWaitSeconds: 300, maxSeconds: 3_600, resetSeconds: 86_400 },
  /** Links to reset a password or to bypass the waits, from one network address. */
  recoveryNetwork: { burst: 20, perSecond: 1 / 60 },
  /** Requests for a folio, a deletion or, with a separate count, an accreditation from one network address or one IPv6 /48. */
  helpRequestNetwork: { burst: 10, perSecond: 1 / 600 },
  /** Redirects to Google of one network address; callbacks have the same limit and a separate count. */
  googleNetwork: { burst: 300, perSecond: 5 },
  /** Attempts of one browser with all its codes for one mail address. */
  codeAttempt: { freeAttempts: 9, firstWaitSeconds: 60, maxSeconds: 900, resetSeconds: 86_400 },
  /** Attempts with codes from one network address; a right one is refunded. */
  codeAttemptNetwork: { burst: 200, perSecond: 2 },
} satisfies Record<string, BackoffLimit | BucketLimit>

/** Leak of a neighbourhood's count of unused codes: one code in three minutes. */
export const UNUSED_LEAK_PER_SECOND = 1 / 180
/** Leak of the counts of used codes, by neighbourhood and by mail domain: one code a day. */
export const USED_LEAK_PER_SECOND = 1 / 86_400

/** Least difficulty of a code's proof of work: a solution takes from one to two times as many hashes (`createWorkChallenge`). */
const MIN_WORK = 512
/** Highest difficulty that other networks can cause for a visitor: at most half a minute on a cheap phone. */
const MAX_SHARED_WORK = 8_192
/** Highest difficulty: half a minute to a minute on a cheap phone, which gives up after a minute and a half (`solveWork`). */
const MAX_WORK = 16_384
/** Unused codes of a neighbourhood beyond which its difficulty grows; each used code allows two more. */
const OPEN_CODES_BUDGET = 20
/** Unused codes beyond the budget with which a neighbourhood's difficulty doubles. */
const NETWORK_DOUBLING_STEP = 5
/** Doublings after which a neighbourhood gets no more codes until some are used or leak away. */
const MAX_NETWORK_DOUBLINGS = 6
/** Every visitor's difficulty doubles with this many unused codes of all networks, or with twice as many wrong attempts. */
const GLOBAL_DOUBLING_STEP = 400

/** Difficulty of the proof of work by which an unknown browser's password moves forward in a full queue of hashes. */
export const PASSWORD_WORK = 1_024

/** Numbers of codes in the last minutes. */
export interface CodeCounts {
  sent: number
  used: number
  /** Wrong attempts. */
  failed: number
}

/** Counts of the codes that the networks of a neighbourhood asked for. */
export interface Neighbourhood {
  unusedCodes: number
  usedCodes: number
}

const doublingsOf = ({ unusedCodes, usedCodes }: Neighbourhood) =>
  Math.max(0, Math.floor((unusedCodes - OPEN_CODES_BUDGET - 2 * usedCodes) / NETWORK_DOUBLING_STEP))

/** Returns how many more codes a neighbourhood may ask for, until some are used or leak away. */
export const codeRoomIn = ({ unusedCodes, usedCodes }: Neighbourhood): number =>
  Math.max(0, OPEN_CODES_BUDGET + 2 * usedCodes + MAX_NETWORK_DOUBLINGS * NETWORK_DOUBLING_STEP - unusedCodes)

/**
 * Returns whether a neighbourhood has used codes, and has too few unused codes to double its difficulty. A request from it for an
 * address whose mail domain has used codes, too, counts as proven (`createNetworkReputation`) and goes before unproven requests.
 */
export const usesItsCodes = (neighbourhood: Neighbourhood): boolean =>
  neighbourhood.usedCodes > 0 && doublingsOf(neighbourhood) === 0

/**
 * Returns the difficulty of the proof of work for a code, which a visitor's browser usually does while she types her address.
 */
export function workForCode(neighbourhood: Neighbourhood, { sent, used, failed }: CodeCounts): number {
  const globalDoublings = Math.floor(Math.max(0, sent - used, failed / 2) / GLOBAL_DOUBLING_STEP)
  const sharedWork = Math.min(MAX_SHARED_WORK, MIN_WORK * 2 ** Math.min(globalDoublings, 30))
  return Math.min(MAX_WORK, sharedWork * 2 ** Math.min(doublingsOf(neighbourhood), 30))
}

const MIN_ALARMING_UNUSED_CODES = 150
/** Returns whether far more codes are sent than used, as when a script has codes sent to strangers. */
export const isCodeAlarm = ({ sent, used }: CodeCounts): boolean =>
  sent - used >= MIN_ALARMING_UNUSED_CODES && used * 3 < sent

export type PasswordRefusal = 'tooShort' | 'tooLong' | 'tooCommon'

/** Spanish and English words, names and keyboard rows of which people build passwords. */
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

/** Digits and signs that people type in place of letters. */
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
const KEYBOARD_ROWS = [
  '01234567890',
  'abcdefghijklmnñopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjklñ',
  'zxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb',
]
const MIN_DISTINCT_CHARACTERS = 6
/** Distinct characters that a password needs beside its common parts. */
const MIN_OWN_CHARACTERS = 5

/**
 * Checks a new password.
 * @param email the account's address, whose parts count as common words
 * @returns why the password is refused; undefined if it is accepted
 */
export function findPasswordRefusal(password: string, email: string): PasswordRefusal | undefined {
  const normalizedPassword = normalizeText(password, 'NFKC')
  const length = [...normalizedPassword].length
  if (length < MIN_PASSWORD_CHARACTERS) return 'tooShort'
  if (length > MAX_PASSWORD_CHARACTERS) return 'tooLong'
  const unaccentedText = normalizedPassword
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  if (new Set(unaccentedText).size < MIN_DISTINCT_CHARACTERS) return 'tooCommon'
  const undisguisedText = [...unaccentedText].map((character) => DISGUISES[character] ?? character).join('')
  const addressParts = email.split(/[@.+_-]/).filter((part) => part.length > 2)
  return [unaccentedText, undisguisedText].some((text) => countOwnCharacters(text, addressParts) < MIN_OWN_CHARACTERS)
    ? 'tooCommon'
    : undefined
}

/** Counts the distinct characters that remain without common words, keyboard rows, years, repetitions and punctuation. */
function countOwnCharacters(text: string, addressParts: string[]): number {
  let remainingText = text
  for (const row of [...KEYBOARD_ROWS, ...KEYBOARD_ROWS.map((row) => [...row].reverse().join(''))])
    remainingText = withoutRuns(remainingText, row)
  for (const word of [...addressParts, ...COMMON_WORDS]) remainingText = remainingText.replaceAll(word, ' ')
  remainingText = remainingText
    .replace(/(19|20)\d\d/g, ' ')
    .replace(/(.+?)\1+/g, '$1')
    .replace(/[^\p{L}\p{N}]/gu, '')
  return new Set(remainingText).size
}

/** Removes every run of four or more characters of a keyboard row. */
function withoutRuns(text: string, row: string): string {
  let remainingText = text
  for (let length = Math.min(row.length, text.length); length >= 4; length--)
    for (let start = 0; start + length <= row.length; start++)
      remainingText = remainingText.replaceAll(row.slice(start, start + length), ' ')
  return remainingText
}
