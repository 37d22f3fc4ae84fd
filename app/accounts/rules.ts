import { normalized } from '#app/core/text/typed-text.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS, type Role } from './schema.ts'

/** Everything that not everybody may open, and who may. The screen «Personas» shows this table. */
export const PERMISSIONS = {
  /** Press pages and the files that they offer. @source D21 */
  prensa: ['prensa', 'admin'],
  /** Documents of the registrations, as they came. @source D15 */
  archivos: ['admin'],
  /** The count as it stands. @source §2.15, §6 */
  resultados: ['admin', 'conteo'],
  /** What is done with the count: sealing, annulling, proclaiming. */
  votos: ['admin'],
  /** The organisers' panel: its frame, one's own account. */
  organizadores: ['admin', 'revision', 'conteo', 'sitio', 'notaria'],
  /** Entries, their documents but those of `cuerpo`, and what is decided about them. */
  inscripciones: ['admin', 'revision'],
  /** Swimsuit photographs. */
  cuerpo: ['admin'],
  /** Words of messages, and sending them. */
  mensajes: ['admin', 'revision'],
  personas: ['admin'],
  bitacora: ['admin'],
  /** An edition's periods, its opening, the withdrawal of a candidate. */
  edicion: ['admin'],
  /** Deletions, and how long is kept what. */
  privacidad: ['admin'],
  /** How the machine and everything around the site is. */
  estado: ['admin'],
  /** What the site says and shows. */
  sitio: ['admin', 'sitio'],
  /** How many came. */
  visitas: ['admin', 'sitio'],
  /** The table of the final's night. */
  final: ['admin', 'notaria'],
  /** A judge's sheet. */
  jurado: ['jurado'],
} satisfies Record<string, Role[]>

export type Resource = keyof typeof PERMISSIONS

/** What opens, in Spanish, for the screen that shows the table. */
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

/** Whether a role opens a resource; null: signed in without one, undefined: not signed in. */
export const may = (role: Role | null | undefined, resource: Resource): boolean =>
  (PERMISSIONS[resource] as (Role | null | undefined)[]).includes(role)

/** Those who enter the panel. */
export const ORGANISER_ROLES: readonly Role[] = PERMISSIONS.organizadores

const MINUTE_MS = 60_000

/** For how long after its sign-in an organiser's session opens the results: 1,800,000 ms. @source §6, §9 */
export const RESULTS_ACCESS_MS = 30 * MINUTE_MS
/** An organiser's session ends so long after it was last used, */
export const IDLE_TIMEOUT_MS = 30 * MINUTE_MS
/** and so long after its sign-in in any case. */
const JORNADA_MS = 8 * 60 * MINUTE_MS
const SESSION_MS = 24 * 60 * MINUTE_MS

/** How long a session lasts at most from sign-in. */
export const sessionMs = (role: Role | null): number => (may(role, 'organizadores') ? JORNADA_MS : SESSION_MS)

/** How long a password that was said counts, for what must not be done by whoever finds a session open. */
export const REAUTHENTICATION_MS = 10 * MINUTE_MS

/** How long an organiser who is to be withdrawn stays, so that any other can stop it. */
export const DEACTIVATION_HOURS = 24

/** How long the link of a forgotten password holds. */
export const PASSWORD_RESET_MINUTES = 60

/** How long the code holds by which an address is changed, and how often it may be tried. */
export const EMAIL_CHANGE_MINUTES = 15
export const MAX_EMAIL_CHANGE_ATTEMPTS = 5

/** How long a code of an application holds. @source RFC 6238, section 5.2 */
export const SEGUNDO_SECONDS = 30

/** How long the secret of a new application of codes is shown. */
export const SECRET_SHOWN_MINUTES = 15

/** How many recovery codes there are. */
export const RECOVERY_CODE_COUNT = 10

/** How long a device may take to answer with a passkey, and how many an account has. */
export const PASSKEY_CHALLENGE_MINUTES = 5
export const MAX_PASSKEYS = 20

/** How long a browser may take from the password to the second step, and how often it may try. */
export const PENDING_SIGN_IN_MINUTES = 10
export const MAX_PENDING_SIGN_IN_ATTEMPTS = 5

/** How long the link holds with which an account's password is set. */
export const ENLACE_DAYS = 7

/** How long a one-time code holds, and how often it may be tried. */
export const CODE_MINUTES = 10
export const MAX_CODE_ATTEMPTS = 3

/**
 * Where to go after signing in, as an address names it.
 * @returns a path of this site; `otherwise` for anything that a browser could take for another site
 */
export function within(next: unknown, otherwise: string): string {
  if (typeof next !== 'string' || next.length > 300 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next)) return otherwise
  const base = 'https://aqui.invalid'
  const url = URL.parse(next, base)
  return url?.origin === base && !/[\\]|^\/\//.test(url.pathname) ? url.pathname + url.search : otherwise
}

/**
 * How often something may be tried: the first `libres` times at will, then after waits that begin with `seconds` and
 * double up to `maxSeconds`.
 */
export interface Limit {
  libres: number
  seconds: number
  maxSeconds: number
  /** After this long without an attempt the count begins again. */
  olvidoSeconds: number
}

/**
 * How much a whole town may do from behind one network address: `rafaga` at once, then `porSegundo`; nobody is shut
 * out.
 */
export interface Rate {
  rafaga: number
  porSegundo: number
}

export const LIMITS = {
  /** Passwords tried by one device that has entered the account before. */
  equipo: { libres: 5, seconds: 15, maxSeconds: 900, olvidoSeconds: 86_400 },
  /** Passwords tried on one account by all others. */
  cuenta: { libres: 5, seconds: 15, maxSeconds: 900, olvidoSeconds: 86_400 },
  /** Passkeys tried at the door from one network address; the right ones do not count. */
  redLlave: { rafaga: 60, porSegundo: 1 },
  /** Second steps tried after the right password: on one known device, and on one account by all others. */
  segundo: { libres: 5, seconds: 60, maxSeconds: 3_600, olvidoSeconds: 86_400 },
  /** Passwords tried from one network address, which a press room may share. */
  red: { libres: 40, seconds: 5, maxSeconds: 300, olvidoSeconds: 3_600 },
  /** Codes that one browser asks for, for one mail address. */
  envio: { libres: 3, seconds: 60, maxSeconds: 900, olvidoSeconds: 3_600 },
  /** Codes asked for from one network address. */
  envioRed: { rafaga: 300, porSegundo: 5 },
  /** Codes asked for without work, from one network address and from everywhere. */
  sinTrabajoRed: { rafaga: 30, porSegundo: 1 / 60 },
  sinTrabajo: { rafaga: 300, porSegundo: 1 },
  /** Messages with a code to one mail address, whoever asks. Whoever is held waits for nothing: the last one holds. */
  mensajes: { rafaga: 4, porSegundo: 1 / 300 },
  /** Links asked for because a password was forgotten, for one address and from one network address. */
  recuperacion: { libres: 3, seconds: 300, maxSeconds: 3_600, olvidoSeconds: 86_400 },
  recuperacionRed: { rafaga: 20, porSegundo: 1 / 60 },
  /** Ways to Google begun from one network address; the ways back are counted alike, apart. */
  googleRed: { rafaga: 300, porSegundo: 5 },
  /** Codes tried by one browser for one mail address, over all the codes that it asked for. */
  codigo: { libres: 9, seconds: 60, maxSeconds: 900, olvidoSeconds: 86_400 },
  /** Codes tried from one network address; the right ones do not count. */
  redCodigo: { rafaga: 200, porSegundo: 2 },
} satisfies Record<string, Limit | Rate>

/** How fast codes that were sent to a neighbourhood and not used are forgotten, */
export const UNUSED_LEAK_PER_SECOND = 1 / 180
/** and those that were used, of a neighbourhood or a mail domain. */
export const USED_LEAK_PER_SECOND = 1 / 86_400

const MIN_WORK = 512
/** A cheap phone works half a minute on it: what strangers bring on everybody is no more. */
const MAX_SHARED_WORK = 8_192
/** A cheap phone works two minutes on it, and the work is in force for ten. */
const MAX_WORK = 32_768
/** Codes that a neighbourhood may have open before it works more than others; each used one is good for two more. */
const OPEN_CODES_BUDGET = 20
/** Beyond that its work doubles with so many, */
const NETWORK_DOUBLING_STEP = 5
/** so often, and then no more codes are sent there until some are used or forgotten. */
const MAX_NETWORK_DOUBLINGS = 6
/** Everybody's work doubles with so many unused codes of all networks. */
const GLOBAL_DOUBLING_STEP = 400

/** How much work a stranger's password takes before it is hashed, while more are waiting than can. */
export const PASSWORD_WORK = 1_024

/** What happened to the codes of the last minutes. */
export interface CodeCounts {
  enviados: number
  usados: number
  fallos: number
}

/** What became of the codes that a neighbourhood asked for. */
export interface Neighbourhood {
  /** Sent and not used. */
  abiertos: number
  usados: number
}

const doublingsOf = ({ abiertos, usados }: Neighbourhood) =>
  Math.max(0, Math.floor((abiertos - OPEN_CODES_BUDGET - 2 * usados) / NETWORK_DOUBLING_STEP))

/** How many more codes a neighbourhood may ask for, until some are used or forgotten. */
export const codeRoomIn = ({ abiertos, usados }: Neighbourhood): number =>
  Math.max(0, OPEN_CODES_BUDGET + 2 * usados + MAX_NETWORK_DOUBLINGS * NETWORK_DOUBLING_STEP - abiertos)

/** Whether a neighbourhood uses the codes that it asks for: codes go there before those for strangers. */
export const isProven = (neighbourhood: Neighbourhood): boolean =>
  neighbourhood.usados > 0 && doublingsOf(neighbourhood) === 0

/**
 * How much work a code takes before it is sent: the usual visitor's browser does it while she types her address.
 * @returns tries that it takes at least
 */
export function workForCode(neighbourhood: Neighbourhood, { enviados, usados, fallos }: CodeCounts): number {
  const ofAll = Math.floor(Math.max(0, enviados - usados, fallos / 2) / GLOBAL_DOUBLING_STEP)
  const shared = Math.min(MAX_SHARED_WORK, MIN_WORK * 2 ** Math.min(ofAll, 30))
  return Math.min(MAX_WORK, shared * 2 ** Math.min(doublingsOf(neighbourhood), 30))
}

const MIN_CODE_ALARM = 150
/** Whether far more codes are sent than anybody uses: somebody sends them to strangers. */
export const isCodeAlarm = ({ enviados, usados }: CodeCounts): boolean =>
  enviados - usados >= MIN_CODE_ALARM && usados * 3 < enviados

export type PasswordRefusal = 'corta' | 'larga' | 'comun'

/** Words and rows of keys that people build passwords from, in both languages. */
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
/** A password needs at least this many characters besides its common parts. */
const MIN_OWN_CHARACTERS = 5

/**
 * Whether a new password will do.
 * @param email the account's address, which is no secret either
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

/** Characters left without the common words, rows of keys, years, repetitions and punctuation. */
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

/** Takes out every piece of four or more characters that follows a row of keys. */
function withoutRuns(text: string, row: string): string {
  let left = text
  for (let length = Math.min(row.length, text.length); length >= 4; length--)
    for (let at = 0; at + length <= row.length; at++) left = left.replaceAll(row.slice(at, at + length), ' ')
  return left
}
