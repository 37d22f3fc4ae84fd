import { readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { unescape as percentDecoded } from 'node:querystring'
import * as v from 'valibot'
import { checkEmailAddress } from '#app/core/text/email-address.ts'
import { isMomentOrFile } from '#app/core/time/clock.server.ts'
import { DEFAULT_DISK_RESERVE, type DiskReserve, parseDiskReserve } from './disk-reserve.ts'

/** A setting cannot be used. The message is the only line that the start shows. */
class SettingsError extends Error {
  override name = 'SettingsError'
}

const url = (protocols: string[], example: string) =>
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
      url(['http:', 'https:'], 'https://ejemplo.mx'),
      v.check((text) => URL.parse(text)?.pathname === '/', 'no debe llevar ruta, sólo protocolo y dominio'),
    ),
  ),
  DATA_DIR: v.optional(v.pipe(v.string(), v.minLength(1, 'no debe estar vacía')), './data'),
  DATABASE_URL: v.optional(url(['postgres:', 'postgresql:'], 'postgres://usuario:clave@servidor/base')),
  STORAGE_URL: v.optional(
    v.pipe(
      url(['s3:'], 's3://cubeta?endpoint=https://servidor'),
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
      url(['smtp:', 'smtps:'], 'smtps://usuario:clave@correo.ejemplo.mx'),
      v.check((text) => Boolean(URL.parse(text)?.hostname), 'debe nombrar el servidor, como smtps://correo.ejemplo.mx'),
    ),
  ),
  BOUNCES_URL: v.optional(
    v.pipe(
      url(['imaps:', 'imap:'], 'imaps://usuario:clave@correo.ejemplo.mx/INBOX'),
      v.check((text) => {
        const { hostname, username, password, protocol } = new URL(text)
        const isOwn = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
        return Boolean(hostname && username && password) && (protocol === 'imaps:' || isOwn)
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
  AVISO_URL: v.optional(url(['http:', 'https:'], 'https://hc-ping.com/…')),
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
  databaseUrl: string | undefined
  storageUrl: string | undefined
  /** Signs cookies and hides addresses; undefined: the secret in the data folder is used. */
  sessionSecret: string | undefined
  /** Folder or `s3://…` of the nightly backups; undefined: no backups are made. */
  backupUrl: string | undefined
  /** Passphrase that encrypts backups; undefined: they are not encrypted. */
  backupKey: string | undefined
  /** Mail server; undefined: mail is kept in the data folder. */
  smtpUrl: string | undefined
  /** Mailbox that receives bounces; undefined: the site reads no bounces. */
  bouncesUrl: string | undefined
  /** Sender address of all mail. */
  mailFrom: string
  /** Address of the organiser whom the first start creates; undefined: an organiser without mail. */
  adminEmail: string | undefined
  /** Whether organisers are advised to use a second factor, or see nothing of the panel without it. */
  secondFactor: 'suggested' | 'required'
  /** Credentials of sign-in with Google; undefined: the sign-in is not offered. */
  google: { clientId: string; clientSecret: string } | undefined
  /** ISO moment at which the site's clock starts, or a file with the moment; undefined: the machine's clock is used. */
  siteClock: string | undefined
  /** How many proxies in front of the site are trusted to give the client's address. */
  trustedProxies: number
  /** Part of the data folder's disk that visitors' files must leave free. */
  diskReserve: DiskReserve
  /** Value of Strict-Transport-Security; undefined: the header is not sent. */
  hsts: string | undefined
  /** URL that is requested every minute while all is well, for a monitor that notices silence; undefined: no monitor. */
  heartbeatUrl: string | undefined
  /** Where Prometheus metrics are served; undefined: nowhere. */
  metrics: { port: number; host: string } | undefined
  logLevel: string
}

/**
 * Reads and checks the settings of one start.
 * @param env variables as the process received them; empty variables count as unset
 * @throws SettingsError with the variable and the remedy
 */
export function readSettings(env: NodeJS.ProcessEnv, cwd = process.cwd()): Settings {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const values = { ...set, ...readSecrets(set, cwd) }
  const result = v.safeParse(SettingsSchema, values)
  if (!result.success) {
    const issue = result.issues[0]
    const name = v.getDotPath(issue) ?? ''
    throw new SettingsError(`El ajuste ${name} ${issue.message}.`)
  }
  const s = result.output
  if ((s.GOOGLE_CLIENT_ID === undefined) !== (s.GOOGLE_CLIENT_SECRET === undefined))
    throw new SettingsError('Los ajustes GOOGLE_CLIENT_ID y GOOGLE_CLIENT_SECRET van juntos: falta uno.')
  if (s.HSTS !== undefined && !s.PUBLIC_URL?.startsWith('https:'))
    throw new SettingsError('El ajuste HSTS sólo vale con un PUBLIC_URL que empiece con https:.')
  const host = s.HOST.includes(':') ? `[${s.HOST}]` : s.HOST
  const publicUrl = s.PUBLIC_URL
    ? new URL(s.PUBLIC_URL).origin
    : `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${s.PORT}`
  return {
    port: s.PORT,
    host: s.HOST,
    publicUrl,
    dataDir: isAbsolute(s.DATA_DIR) ? s.DATA_DIR : resolve(cwd, s.DATA_DIR),
    databaseUrl: s.DATABASE_URL,
    storageUrl: s.STORAGE_URL,
    sessionSecret: s.SESSION_SECRET,
    backupUrl: s.BACKUP_URL,
    backupKey: s.BACKUP_KEY,
    smtpUrl: s.SMTP_URL,
    bouncesUrl: s.BOUNCES_URL,
    mailFrom: senderOf(s.MAIL_FROM, s.SMTP_URL, publicUrl),
    adminEmail: s.ADMIN_EMAIL?.toLowerCase(),
    secondFactor: s.SECOND_FACTOR,
    google:
      s.GOOGLE_CLIENT_ID !== undefined && s.GOOGLE_CLIENT_SECRET !== undefined
        ? { clientId: s.GOOGLE_CLIENT_ID, clientSecret: s.GOOGLE_CLIENT_SECRET }
        : undefined,
    siteClock: s.SITE_CLOCK,
    trustedProxies: s.TRUSTED_PROXIES,
    diskReserve: (s.DISK_FLOOR === undefined ? undefined : parseDiskReserve(s.DISK_FLOOR)) ?? DEFAULT_DISK_RESERVE,
    hsts: s.HSTS === undefined ? undefined : `max-age=${s.HSTS}`,
    heartbeatUrl: s.AVISO_URL,
    metrics: s.METRICS_PORT === undefined ? undefined : { port: s.METRICS_PORT, host: s.METRICS_HOST },
    logLevel: s.LOG_LEVEL,
  }
}

/** Reads the files of secrets. @returns their trimmed content by the name of the setting */
function readSecrets(set: Record<string, string | undefined>, cwd: string): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of SECRETS) {
    const file = set[`${name}_FILE`]
    if (file === undefined) continue
    if (set[name] !== undefined)
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
 * Chooses the sender address: the setting, else the account of the mail server if it is an address, else an address of the site's
 * domain.
 */
function senderOf(mailFrom: string | undefined, smtpUrl: string | undefined, publicUrl: string): string {
  const account = smtpUrl === undefined ? '' : percentDecoded(new URL(smtpUrl).username)
  const possibleAddresses = [mailFrom ?? '', account, `avisos@${new URL(publicUrl).hostname}`].map(checkEmailAddress)
  return possibleAddresses.find((one) => one.ok)?.address ?? 'avisos@certamen.local'
}
