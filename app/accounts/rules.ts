import { normalizeText } from '#app/core/text/typed-text.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS, type Role } from './schema.ts'

/** Each protected resource is opened by the roles listed here. The screen «Personas» shows this table. */
export const PERMISSIONS = {
  /** The press pages offer the files of this resource (D21). */
  prensa: ['prensa', 'admin'],
  /** Original documents of entries open without a watermark (D15). */
  archivos: ['admin'],
  /** The current count of votes is shown only to these roles (§2.15, §6). */
  resultados: ['admin', 'conteo'],
  votos: ['admin'],
  /** Every organiser opens the frame of the panel and her own account. */
  organizadores: ['admin', 'revision', 'conteo', 'sitio', 'notaria'],
  /** These roles see and decide entries and open their documents, but not those of `cuerpo`. */
  inscripciones: ['admin', 'revision'],
  /** Swimsuit photographs open to these roles only. */
  cuerpo: ['admin'],
  mensajes: ['admin', 'revision'],
  personas: ['admin'],
  bitacora: ['admin'],
  /** These roles move an edition's periods, open an edition and withdraw candidates. */
  edicion: ['admin'],
  privacidad: ['admin'],
  /** These roles see the health of the machine and of the services around the site. */
  estado: ['admin'],
  /** These roles write and publish the content of the site. */
  sitio: ['admin', 'sitio'],
  visitas: ['admin', 'sitio'],
  /** These roles keep the judging table of the final. */
  final: ['admin', 'notaria'],
  /** A judge alone fills in a sheet. */
  jurado: ['jurado'],
} satisfies Record<string, Role[]>

export type Resource = keyof typeof PERMISSIONS

/** The screen «Personas» names the resources by these Spanish texts. */
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
 * Returns whether a role opens a resource. A role of null stands for a signed-in voter, undefined for a visitor without a
 * session; neither opens any resource.
 */
export const may = (role: Role | null | undefined, resource: Resource): boolean =>
  (PERMISSIONS[resource] as (Role | null | undefined)[]).includes(role)

export const ORGANISER_ROLES: readonly Role[] = PERMISSIONS.organizadores

const MINUTE_MS = 60_000

/** An organiser's session opens the results for this many milliseconds after its sign-in (§6, §9). */
export const RESULTS_ACCESS_MS = 30 * MINUTE_MS
/** An organiser's session ends this many milliseconds after its last use. */
export const IDLE_TIMEOUT_MS = 30 * MINUTE_MS
/** An organiser's session ends this many milliseconds after its sign-in, used or not. */
const ORGANISER_SESSION_MS = 8 * 60 * MINUTE_MS
const SESSION_MS = 24 * 60 * MINUTE_MS

/** Returns how many milliseconds a session lasts at most from its sign-in. */
export const sessionMs = (role: Role | null): number => (may(role, 'organizadores') ? ORGANISER_SESSION_MS : SESSION_MS)

/**
 * Dangerous actions need no reauthentication for this many milliseconds after the password. Later they do, so that a
 * found open session does not suffice.
 */
export const REAUTHENTICATION_MS = 10 * MINUTE_MS

/** A requested deactivation of an `admin` waits this many hours, so that another `admin` can stop it. */
export const DEACTIVATION_HOURS = 24

/** A link for a forgotten password, or past the waits, is valid for this many minutes. */
export const PASSWORD_RESET_MINUTES = 60

/** The code that verifies a new address is valid for these minutes and attempts. */
export const EMAIL_CHANGE_MINUTES = 15
export const MAX_EMAIL_CHANGE_ATTEMPTS = 5

/** A TOTP code changes after this many seconds, the default of RFC 6238, section 5.2. */
export const TOTP_STEP_SECONDS = 30

/** The secret of a new authenticator app is shown for this many minutes. */
export const SECRET_SHOWN_MINUTES = 15

export const RECOVERY_CODE_COUNT = 10

/** A device may take these minutes to answer with a passkey; an account has at most `MAX_PASSKEYS` passkeys. */
export const PASSKEY_CHALLENGE_MINUTES = 5
export const MAX_PASSKEYS = 20

/** A browser may take these minutes, and make these attempts, between the password and the second factor. */
export const PENDING_SIGN_IN_MINUTES = 10
export const MAX_PENDING_SIGN_IN_ATTEMPTS = 5

/** The link to set an account's first password is valid for this many days. */
export const PASSWORD_LINK_DAYS = 7

/** A one-time code is valid for these minutes and attempts. */
export const CODE_MINUTES = 10
export const MAX_CODE_ATTEMPTS = 3

/**
 * Checks the path that a sign-in leads on to, so that the sign-in is no open redirect.
 * @returns a path of this site; the second argument for anything that a browser could take for another site
 */
export function localPathOr(next: unknown, fallback: string): string {
  if (typeof next !== 'string' || next.length > 300 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return fallback
  const base = 'https://aqui.invalid'
  const url = URL.parse(next, base)
  return url?.origin === base && !/[\\]|^\/\//.test(url.pathname) ? url.pathname + url.search : fallback
}

/**
 * A limit lets the first `free` attempts pass at once. Every later attempt has to wait: `seconds` at first, twice as long
 * each time, at most `maxSeconds`.
 */
export interface Limit {
  free: number
  seconds: number
  maxSeconds: number
  /** After this many seconds without an attempt the count begins anew. */
  resetSeconds: number
}

/**
 * A rate is the leaky bucket of a network address that a whole town may share: it lets `burst` attempts pass at once, then
 * `perSecond` attempts a second, and shuts out no visitor for good.
 */
export interface Rate {
  burst: number
  perSecond: number
}

export const LIMITS = {
  /** A device that has entered an account before tries this many passwords; reauthentications are counted in the same way. */
  knownDevice: { free: 5, seconds: 15, maxSeconds: 900, resetSeconds: 86_400 },
  /** All unknown browsers together try this many passwords on one account. */
  account: { free: 5, seconds: 15, maxSeconds: 900, resetSeconds: 86_400 },
  /** One network address tries this many passkeys at the login wall; right passkeys do not count. */
  passkeyNetwork: { burst: 60, perSecond: 1 },
  /** After the right password, a known device, or all unknown browsers of an account together, try these second factors. */
  secondFactor: { free: 5, seconds: 60, maxSeconds: 3_600, resetSeconds: 86_400 },
  /** One network address, which a press room may share, tries this many passwords. */
  network: { free: 40, seconds: 5, maxSeconds: 300, resetSeconds: 3_600 },
  /** One browser asks for this many codes for one mail address. */
  codeRequest: { free: 3, seconds: 60, maxSeconds: 900, resetSeconds: 3_600 },
  /** One network address asks for this many codes. */
  codeRequestNetwork: { burst: 300, perSecond: 5 },
  /** One network (`worklessNetwork`), and all networks together (`workless`), ask for this many codes without proof of work. */
  worklessNetwork: { burst: 30, perSecond: 1 / 60 },
  workless: { burst: 300, perSecond: 1 },
  /** One mail address gets this many messages with a code; beyond the limit, the last code that was sent stays valid. */
  codeMail: { burst: 4, perSecond: 1 / 300 },
  /**
   * One mail address (`recovery`), and one network address (`recoveryNetwork`), ask for this many links to reset a password or
   * pass the waits.
   */
  recovery: { free: 3, seconds: 300, maxSeconds: 3_600, resetSeconds: 86_400 },
  recoveryNetwork: { burst: 20, perSecond: 1 / 60 },
  /** One network address sends this many requests for a folio, a deletion or an accreditation. */
  helpRequestNetwork: { burst: 10, perSecond: 1 / 600 },
  /** One network address gets this many redirects to Google; callbacks have the same limit and a separate count. */
  googleNetwork: { burst: 300, perSecond: 5 },
  /** One browser tries this many codes for one mail address, over all codes that the browser asked for. */
  codeAttempt: { free: 9, seconds: 60, maxSeconds: 900, resetSeconds: 86_400 },
  /** One network address tries this many codes; right codes do not count. */
  codeAttemptNetwork: { burst: 200, perSecond: 2 },
} satisfies Record<string, Limit | Rate>

/** A neighbourhood's count of unused codes leaks one code in three minutes. */
export const UNUSED_LEAK_PER_SECOND = 1 / 180
/** The counts of used codes, by neighbourhood and by mail domain, leak one code a day. */
export const USED_LEAK_PER_SECOND = 1 / 86_400

const MIN_WORK = 512
/** Other networks can bring at most this many tries on a visitor, which take a cheap phone half a minute. */
const MAX_SHARED_WORK = 8_192
/** One code takes at most this many tries: two minutes on a cheap phone, while the challenge is valid for ten. */
const MAX_WORK = 32_768
/** A neighbourhood may have this many unused codes before its work grows; each used code allows two more. */
const OPEN_CODES_BUDGET = 20
/** Each time this many more codes are unused beyond the budget, the neighbourhood's work doubles. */
const NETWORK_DOUBLING_STEP = 5
/** After this many doublings a neighbourhood gets no more codes until some are used or leak away. */
const MAX_NETWORK_DOUBLINGS = 6
/** Each time this many more codes of all networks are unused, the work of every visitor doubles. */
const GLOBAL_DOUBLING_STEP = 400

/** An unknown browser's password moves ahead in the full queue of hashes for this many tries of work. */
export const PASSWORD_WORK = 1_024

/** These counts cover the last minutes: codes sent, codes used, and wrong attempts. */
export interface CodeCounts {
  enviados: number
  usados: number
  fallos: number
}

/** A neighbourhood is counted by the codes that its networks asked for. */
export interface Neighbourhood {
  /** These codes were sent and not used. */
  unusedCodes: number
  usedCodes: number
}

const doublingsOf = ({ unusedCodes, usedCodes }: Neighbourhood) =>
  Math.max(0, Math.floor((unusedCodes - OPEN_CODES_BUDGET - 2 * usedCodes) / NETWORK_DOUBLING_STEP))

/** Returns how many more codes a neighbourhood may ask for, until some are used or leak away. */
export const codeRoomIn = ({ unusedCodes, usedCodes }: Neighbourhood): number =>
  Math.max(0, OPEN_CODES_BUDGET + 2 * usedCodes + MAX_NETWORK_DOUBLINGS * NETWORK_DOUBLING_STEP - unusedCodes)

/** Returns whether a neighbourhood uses its codes; its requests then go before those of other neighbourhoods. */
export const isProven = (neighbourhood: Neighbourhood): boolean =>
  neighbourhood.usedCodes > 0 && doublingsOf(neighbourhood) === 0

/**
 * Returns the proof of work for a code, which a visitor's browser usually does while she types her address.
 * @returns the least number of tries
 */
export function workForCode(neighbourhood: Neighbourhood, { enviados, usados, fallos }: CodeCounts): number {
  const globalDoublings = Math.floor(Math.max(0, enviados - usados, fallos / 2) / GLOBAL_DOUBLING_STEP)
  const sharedWork = Math.min(MAX_SHARED_WORK, MIN_WORK * 2 ** Math.min(globalDoublings, 30))
  return Math.min(MAX_WORK, sharedWork * 2 ** Math.min(doublingsOf(neighbourhood), 30))
}

const MIN_CODE_ALARM = 150
/** Returns whether far more codes are sent than used, as when a script has codes sent to strangers. */
export const isCodeAlarm = ({ enviados, usados }: CodeCounts): boolean =>
  enviados - usados >= MIN_CODE_ALARM && usados * 3 < enviados

export type PasswordRefusal = 'tooShort' | 'tooLong' | 'tooCommon'

/** People build passwords from these Spanish and English words and keyboard rows. */
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
/** A password needs this many distinct characters besides its common parts. */
const MIN_OWN_CHARACTERS = 5

/**
 * Checks a new password.
 * @param email the account's address, whose parts count as common words
 * @returns why the password is refused; undefined: it is accepted
 */
export function refusePassword(password: string, email: string): PasswordRefusal | undefined {
  const normalizedPassword = normalizeText(password, 'NFKC')
  const length = [...normalizedPassword].length
  if (length < MIN_PASSWORD_CHARACTERS) return 'tooShort'
  if (length > MAX_PASSWORD_CHARACTERS) return 'tooLong'
  const unaccented = normalizedPassword
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  if (new Set(unaccented).size < MIN_DISTINCT_CHARACTERS) return 'tooCommon'
  const undisguised = [...unaccented].map((character) => DISGUISES[character] ?? character).join('')
  const names = email.split(/[@.+_-]/).filter((name) => name.length > 2)
  return [unaccented, undisguised].some((text) => countOwnCharacters(text, names) < MIN_OWN_CHARACTERS)
    ? 'tooCommon'
    : undefined
}

/** Counts the distinct characters left without common words, keyboard rows, years, repetitions and punctuation. */
function countOwnCharacters(text: string, names: string[]): number {
  let left = text
  for (const row of [...KEYBOARD_ROWS, ...KEYBOARD_ROWS.map((row) => [...row].reverse().join(''))])
    left = withoutRuns(left, row)
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
