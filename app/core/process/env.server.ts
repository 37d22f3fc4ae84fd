import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { unescape as percentDecoded } from 'node:querystring'
import * as v from 'valibot'
import { checkEmailAddress } from '#app/core/text/email-address.ts'
import { isMomentOrFile } from '#app/core/time/clock.server.ts'
import { DEFAULT_DISK_RESERVE, type DiskReserve, parseDiskReserve } from './disk-reserve.ts'

/** Thrown for a setting that cannot be used. Its Spanish message is the only line that the failed start shows. */
class SettingsError extends Error {
  override name = 'SettingsError'
}

const urlSchema = (protocols: string[], example: string) =>
  v.pipe(
    v.string(),
    v.check((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), `debe ser una dirección como ${example}`),
  )

export const SettingsSchema = v.object({
  PORT: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,5}$/, 'debe ser un número de puerto entre 0 y 65535'),
      v.transform(Number),
      v.maxValue(65535, 'debe ser un número de puerto entre 0 y 65535'),
    ),
    '3000',
  ),
  HOST: v.optional(
    v.pipe(v.string(), v.regex(/^[\w.:-]+$/, 'debe ser una dirección de red como 127.0.0.1')),
    '127.0.0.1',
  ),
  PUBLIC_URL: v.optional(
    v.pipe(
      urlSchema(['http:', 'https:'], 'https://ejemplo.mx'),
      v.check((text) => URL.parse(text)?.pathname === '/', 'no debe llevar ruta, sólo protocolo y dominio'),
    ),
  ),
  DATA_DIR: v.optional(v.pipe(v.string(), v.minLength(1, 'no debe estar vacía')), './data'),
  DATABASE_URL: v.optional(urlSchema(['postgres:', 'postgresql:'], 'postgres://usuario:clave@servidor/base')),
  STORAGE_URL: v.optional(
    v.pipe(
      urlSchema(['s3:'], 's3://cubeta?endpoint=https://servidor'),
      v.check((text) => Boolean(URL.parse(text)?.hostname), 'debe nombrar la cubeta, como s3://cubeta'),
    ),
  ),
  SESSION_SECRET: v.optional(
    v.pipe(
      v.string(),
      v.minLength(32, 'debe tener al menos 32 caracteres al azar, como los de openssl rand -base64 32'),
    ),
  ),
  SMTP_URL: v.optional(
    v.pipe(
      urlSchema(['smtp:', 'smtps:'], 'smtps://usuario:clave@correo.ejemplo.mx'),
      v.check((text) => Boolean(URL.parse(text)?.hostname), 'debe nombrar el servidor, como smtps://correo.ejemplo.mx'),
    ),
  ),
  BOUNCES_URL: v.optional(
    v.pipe(
      urlSchema(['imaps:', 'imap:'], 'imaps://usuario:clave@correo.ejemplo.mx/INBOX'),
      v.check((text) => {
        const { hostname, username, password, protocol } = new URL(text)
        const isThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
        return Boolean(hostname && username && password) && (protocol === 'imaps:' || isThisMachine)
      }, 'debe nombrar servidor, usuario y clave, y usar imaps:// (imap:// sólo en esta misma máquina), como imaps://usuario:clave@correo.ejemplo.mx/INBOX'),
    ),
  ),
  MAIL_FROM: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => checkEmailAddress(text).ok, 'debe ser un correo como avisos@ejemplo.mx'),
    ),
  ),
  ADMIN_EMAIL: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => checkEmailAddress(text).ok, 'debe ser un correo como comite@ejemplo.mx'),
    ),
  ),
  HSTS: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^\d{1,10}(; ?includeSubDomains(; ?preload)?)?$/i,
        'debe decir por cuántos segundos los navegadores sólo entran por https, como 31536000, o 31536000; includeSubDomains',
      ),
    ),
  ),
  SECOND_FACTOR: v.optional(
    v.picklist(
      ['suggested', 'required'],
      'debe ser suggested (se recomienda el segundo paso a la organización) o required (sin él no se entra al panel)',
    ),
    'suggested',
  ),
  GOOGLE_CLIENT_ID: v.optional(
    v.pipe(v.string(), v.regex(/^[\w.-]+$/, 'debe ser el identificador de cliente que da Google')),
  ),
  GOOGLE_CLIENT_SECRET: v.optional(
    v.pipe(v.string(), v.regex(/^[!-~]+$/, 'debe ser el secreto de cliente que da Google')),
  ),
  SITE_CLOCK: v.optional(
    v.pipe(v.string(), v.check(isMomentOrFile, 'debe ser un momento ISO con zona, como 2025-09-20T12:00-06:00')),
  ),
  TRUSTED_PROXIES: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,2}$/, 'debe ser cuántos servidores intermedios hay delante del sitio (0, 1, 2…)'),
      v.transform(Number),
    ),
    '0',
  ),
  DISK_FLOOR: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => parseDiskReserve(text) !== undefined,
        'debe decir cuánto disco se deja libre: una parte hasta 90%, como 10%, o una cantidad, como 500MB o 5GB',
      ),
    ),
  ),
  BACKUP_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => isAbsolute(text) || (text.startsWith('s3://') && Boolean(URL.parse(text)?.hostname)),
        'debe ser una carpeta de otro disco, con su camino entero desde /, o una cubeta como s3://cubeta?endpoint=https://servidor',
      ),
    ),
  ),
  BACKUP_KEY: v.optional(
    v.pipe(
      v.string(),
      v.minLength(20, 'debe tener al menos 20 caracteres al azar, como los de openssl rand -base64 32'),
    ),
  ),
  AVISO_URL: v.optional(urlSchema(['http:', 'https:'], 'https://hc-ping.com/…')),
  METRICS_PORT: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,5}$/, 'debe ser un número de puerto entre 0 y 65535'),
      v.transform(Number),
      v.maxValue(65535, 'debe ser un número de puerto entre 0 y 65535'),
    ),
  ),
  METRICS_HOST: v.optional(
    v.pipe(v.string(), v.regex(/^[\w.:-]+$/, 'debe ser una dirección de red como 127.0.0.1')),
    '127.0.0.1',
  ),
  LOG_LEVEL: v.optional(
    v.picklist(['debug', 'info', 'warn', 'error', 'silent'], 'debe ser debug, info, warn, error o silent'),
    'info',
  ),
})

/** Settings that contain a secret. Each may be in a file that `<NAME>_FILE` names. */
export const SECRETS = [
  'SESSION_SECRET',
  'DATABASE_URL',
  'SMTP_URL',
  'BOUNCES_URL',
  'GOOGLE_CLIENT_SECRET',
  'BACKUP_URL',
  'BACKUP_KEY',
  'AVISO_URL',
] as const satisfies (keyof typeof SettingsSchema.entries)[]

export interface Settings {
  port: number
  host: string
  /** Public origin of the site, without a trailing slash. */
  publicUrl: string
  /** Absolute path of the data folder. */
  dataDir: string
  /** Connection string of a PostgreSQL server. If it is undefined, the site runs its own in the data folder. */
  databaseUrl: string | undefined
  /** `s3://…` of the stored files. If it is undefined, they are in the data folder. */
  storageUrl: string | undefined
  /** Secret from which the keys for cookies and keyed hashes are derived. If undefined, the data folder has the secret. */
  sessionSecret: string | undefined
  /** Folder or `s3://…` of the site's own backups. If it is undefined, the site makes none by itself. */
  backupUrl: string | undefined
  /** Passphrase that encrypts backups. If it is undefined, the site's own key may encrypt them (`readOwnKey`). */
  backupKey: string | undefined
  /** Mail server. If it is undefined, mail is kept in the data folder. */
  smtpUrl: string | undefined
  /** Mailbox that receives bounces. If it is undefined, the site reads no bounces. */
  bouncesUrl: string | undefined
  /** Sender address of all mail. */
  mailFrom: string
  /** Address of the first organiser's account (`createFirstAdmin`). Without it the account has an address that gets no mail. */
  adminEmail: string | undefined
  /** Whether organisers are advised to use a second factor, or cannot enter the panel without one. */
  secondFactor: 'suggested' | 'required'
  /** Credentials of sign-in with Google. If they are undefined, the sign-in is not offered. */
  google: { clientId: string; clientSecret: string } | undefined
  /** ISO moment at which the site's clock starts, or path of a file with it. If undefined, the machine's clock is used. */
  siteClock: string | undefined
  /** Number of proxies in front of the site that are trusted to state the client's address. */
  trustedProxies: number
  /** Part of the data folder's disk that uploads must leave free. */
  diskReserve: DiskReserve
  /** Value of Strict-Transport-Security. If it is undefined, the header is not sent. */
  hsts: string | undefined
  /** URL of a monitor, requested every minute while there is no fault, so that the monitor notices silence. */
  heartbeatUrl: string | undefined
  /** Port and host of the Prometheus metrics. If they are undefined, none are served. */
  metrics: { port: number; host: string } | undefined
  logLevel: string
}

/**
 * Reads and checks the settings of one start.
 * @param env variables as the process received them; empty variables count as unset
 * @throws SettingsError whose message names the variable and the remedy
 */
export function readSettings(env: NodeJS.ProcessEnv, cwd = process.cwd()): Settings {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const values = { ...variables, ...readSecrets(variables, cwd) }
  const parseResult = v.safeParse(SettingsSchema, values)
  if (!parseResult.success) {
    const issue = parseResult.issues[0]
    const name = v.getDotPath(issue) ?? ''
    throw new SettingsError(`El ajuste ${name} ${issue.message}.`)
  }
  const settings = parseResult.output
  if ((settings.GOOGLE_CLIENT_ID === undefined) !== (settings.GOOGLE_CLIENT_SECRET === undefined))
    throw new SettingsError('Los ajustes GOOGLE_CLIENT_ID y GOOGLE_CLIENT_SECRET van juntos: falta uno.')
  if (settings.HSTS !== undefined && !settings.PUBLIC_URL?.startsWith('https:'))
    throw new SettingsError('El ajuste HSTS sólo vale con un PUBLIC_URL que empiece con https:.')
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST
  const publicUrl = settings.PUBLIC_URL
    ? new URL(settings.PUBLIC_URL).origin
    : `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${settings.PORT}`
  return {
    port: settings.PORT,
    host: settings.HOST,
    publicUrl,
    dataDir: isAbsolute(settings.DATA_DIR) ? settings.DATA_DIR : resolve(cwd, settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    storageUrl: settings.STORAGE_URL,
    sessionSecret: settings.SESSION_SECRET,
    backupUrl: settings.BACKUP_URL,
    backupKey: settings.BACKUP_KEY,
    smtpUrl: settings.SMTP_URL,
    bouncesUrl: settings.BOUNCES_URL,
    mailFrom: senderOf(settings.MAIL_FROM, settings.SMTP_URL, publicUrl),
    adminEmail: settings.ADMIN_EMAIL?.toLowerCase(),
    secondFactor: settings.SECOND_FACTOR,
    google:
      settings.GOOGLE_CLIENT_ID !== undefined && settings.GOOGLE_CLIENT_SECRET !== undefined
        ? { clientId: settings.GOOGLE_CLIENT_ID, clientSecret: settings.GOOGLE_CLIENT_SECRET }
        : undefined,
    siteClock: settings.SITE_CLOCK,
    trustedProxies: settings.TRUSTED_PROXIES,
    diskReserve:
      (settings.DISK_FLOOR === undefined ? undefined : parseDiskReserve(settings.DISK_FLOOR)) ?? DEFAULT_DISK_RESERVE,
    hsts: settings.HSTS === undefined ? undefined : `max-age=${settings.HSTS}`,
    heartbeatUrl: settings.AVISO_URL,
    metrics:
      settings.METRICS_PORT === undefined ? undefined : { port: settings.METRICS_PORT, host: settings.METRICS_HOST },
    logLevel: settings.LOG_LEVEL,
  }
}

/**
 * Reads the files of secrets.
 * @returns their trimmed content by the name of the setting
 * @throws SettingsError for a file that cannot be read or is empty, and for a secret that is also set directly
 */
function readSecrets(variables: Record<string, string | undefined>, cwd: string): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of SECRETS) {
    const file = variables[`${name}_FILE`]
    if (file === undefined) continue
    if (variables[name] !== undefined)
      throw new SettingsError(`Los ajustes ${name} y ${name}_FILE dicen lo mismo de dos modos: deja uno.`)
    try {
      secrets[name] = readFileSync(resolve(cwd, file), 'utf8').trim()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new SettingsError(`El ajuste ${name}_FILE debe nombrar un archivo que se pueda leer (${file}: ${code}).`)
    }
    if (secrets[name] === '') throw new SettingsError(`El ajuste ${name}_FILE nombra un archivo vacío (${file}).`)
  }
  return secrets
}

/**
 * Chooses the sender address: the setting or, without it, the mail server's account if that is an address, or else an address of
 * the site's domain or, if that is no domain, of certamen.local.
 */
function senderOf(mailFrom: string | undefined, smtpUrl: string | undefined, publicUrl: string): string {
  const account = smtpUrl === undefined ? '' : percentDecoded(new URL(smtpUrl).username)
  const possibleAddresses = [mailFrom ?? '', account, `avisos@${new URL(publicUrl).hostname}`].map(checkEmailAddress)
  return possibleAddresses.find((checked) => checked.ok)?.address ?? 'avisos@certamen.local'
}
