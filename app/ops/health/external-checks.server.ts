import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { createTransport } from 'nodemailer'
import { SECRETS } from '#app/core/process/env.server.ts'
import { isS3, openStorage } from '#app/core/storage/open-store.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { DAY_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { isKeyUnsaved, KEY_UNSAVED_NOTICE, readOwnKey } from '#app/ops/backup/own-key.server.ts'
import {
  type CheckContext,
  type Finding,
  fault,
  type HealthCheck,
  noDataFolder,
  ok,
  reasonOf,
  warning,
} from './check.server.ts'
import { outsideUrls, readClockOffset } from './outside-time.server.ts'

/** Limit of each wait for a server, below the limit of a whole check (TIMEOUT_MS of check.server.ts), which names no reason. */
const TIMEOUT_MS = 6_000

const isPublic = ({ settings }: CheckContext) => settings.publicUrl.startsWith('https:')
const hostOf = ({ settings }: CheckContext) => new URL(settings.publicUrl).hostname.replace(/^\[|\]$/g, '')

const smtp: HealthCheck = {
  de: 'smtp',
  titulo: 'Servidor de correo',
  isExternal: true,
  async run(checkContext) {
    const { smtpUrl } = checkContext.settings
    if (smtpUrl === undefined)
      return isPublic(checkContext)
        ? fault('No hay servidor de correo: los códigos para votar y los avisos no le llegan a nadie.', 'Pon SMTP_URL.')
        : warning('No hay servidor de correo: los mensajes se quedan en la carpeta de datos.', 'Pon SMTP_URL.')
    const { hostname, username } = new URL(smtpUrl)
    const isLocalServer = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    const transport = createTransport({
      requireTLS: !isLocalServer,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      dnsTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      url: smtpUrl,
    })
    try {
      await transport.verify()
      return ok(`${hostname} responde${username ? ' y acepta la cuenta' : ''}.`)
    } catch (error) {
      return fault(
        `${hostname} no acepta correo (${reasonOf(error)}).`,
        'Revisa la dirección, la cuenta y la clave de SMTP_URL. Los mensajes esperan y salen solos después.',
      )
    } finally {
      transport.close()
    }
  },
}

const storage: HealthCheck = {
  de: 'almacen',
  titulo: 'Documentos guardados',
  isExternal: true,
  async run({ settings }) {
    const isRemote = settings.storageUrl !== undefined && isS3(settings.storageUrl)
    if (!isRemote && !existsSync(settings.dataDir)) return noDataFolder()
    try {
      await (await openStorage(settings)).check()
      return ok(isRemote ? 'El almacén S3 responde.' : 'La carpeta de datos se puede leer y escribir.')
    } catch (error) {
      return fault(
        `No se puede usar (${reasonOf(error)}).`,
        isRemote
          ? 'Revisa STORAGE_URL y las claves AWS_ACCESS_KEY_ID y AWS_SECRET_ACCESS_KEY, y que el proveedor esté en marcha.'
          : 'Revisa que el disco de la carpeta de datos esté puesto y sea de la cuenta que corre el sitio.',
      )
    }
  },
}

const domain: HealthCheck = {
  de: 'dns',
  titulo: 'Nombre del sitio (DNS)',
  isExternal: true,
  async run(checkContext) {
    const host = hostOf(checkContext)
    if (isIP(host) || host === 'localhost')
      return warning(
        `PUBLIC_URL es ${host}: sólo sirve en esta máquina o red.`,
        'Para abrirlo al público, pon PUBLIC_URL con su dominio y https.',
      )
    try {
      const addresses = await lookup(host, { all: true })
      return ok(`${host} lleva a ${addresses.map(({ address }) => address).join(', ')}.`)
    } catch (error) {
      return fault(
        `Nadie sabe adónde lleva ${host} (${reasonOf(error)}).`,
        'Revisa con quien vendió el dominio que esté pagado, y que su registro A o AAAA lleve a este servidor.',
      )
    }
  },
}

const proxy: HealthCheck = {
  de: 'proxy',
  titulo: 'El sitio visto desde fuera',
  isExternal: true,
  async run({ settings, isRunning }) {
    const healthUrl = `${settings.publicUrl}/healthz`
    const remedy = isRunning
      ? 'El sitio está en marcha: revisa el servidor de enfrente (nginx, Caddy, haproxy), su certificado y el cortafuegos.'
      : 'El sitio no está en marcha: arráncalo.'
    try {
      const response = await fetch(healthUrl, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })
      const text = (await response.text()).trim()
      if (response.status === 200 && text === 'ok') return ok(`${settings.publicUrl} responde.`)
      return fault(`${healthUrl} respondió ${response.status}, y no el sitio.`, remedy)
    } catch (error) {
      const findingText = `${healthUrl} no responde (${reasonOf(error)}).`
      return isRunning ? fault(findingText, remedy) : warning(findingText, remedy)
    }
  },
}

/** Returns the expiry of the certificate that visitors get. */
const readCertificateExpiry = (host: string, port: number): Promise<Date> =>
  new Promise((resolve, reject) => {
    // An expired certificate must be accepted in order to report its expiry.
    const socket = connect({ host, port, servername: isIP(host) ? '' : host, rejectUnauthorized: false }, () => {
      const { valid_to: expiresAt } = socket.getPeerCertificate()
      socket.end()
      if (expiresAt) resolve(new Date(expiresAt))
      else reject(new Error('no certificate'))
    })
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })))
    socket.once('error', reject)
  })

const certificate: HealthCheck = {
  de: 'certificado',
  titulo: 'Certificado',
  isExternal: true,
  async run(checkContext) {
    if (!isPublic(checkContext))
      return warning(
        'El sitio no usa https.',
        'Para abrirlo al público, pon PUBLIC_URL con https y un servidor de enfrente con certificado.',
      )
    const remedy = 'Renueva el certificado en el servidor de enfrente (Caddy lo hace solo; con nginx, certbot renew).'
    const expiresAt = await readCertificateExpiry(
      hostOf(checkContext),
      Number(new URL(checkContext.settings.publicUrl).port) || 443,
    )
    const days = Math.floor((expiresAt.getTime() - checkContext.now.getTime()) / DAY_MS)
    if (days < 0) return fault('El certificado ya venció: los navegadores no dejan entrar.', remedy)
    const findingText = `Vale ${quantity(days, 'día')} más.`
    // Caddy and certbot renew about a month before the expiry, so with three weeks left a renewal has failed.
    return days < 7 ? fault(findingText, remedy) : days < 21 ? warning(findingText, remedy) : ok(findingText)
  },
}

const clock: HealthCheck = {
  de: 'reloj',
  titulo: 'Reloj',
  isExternal: true,
  async run(checkContext) {
    const { settings } = checkContext
    if (settings.siteClock !== undefined)
      return warning(
        'El sitio no va con la hora de la máquina sino con SITE_CLOCK, que sólo sirve para ensayar.',
        'Quita SITE_CLOCK de los ajustes y reinicia.',
      )
    const offset = await readClockOffset(outsideUrls(settings))
    if (offset) return clockFinding(offset)
    const findingText = 'No hay otra máquina con la que comparar la hora.'
    return isPublic(checkContext)
      ? warning(findingText, 'Pon AVISO_URL: además, alguien fuera de este servidor avisa si el sitio se cae.')
      : ok(findingText)
  },
}

/** Returns the finding about the difference between this machine's clock and another machine's. */
export function clockFinding({ host, aheadMs }: { host: string; aheadMs: number }): Finding {
  const differenceMs = Math.abs(aheadMs)
  // Some seconds may come from the other machine's answer: it takes time, and its date is in whole seconds.
  if (differenceMs <= 10_000) return ok(`Coincide con el de ${host}.`)
  const [isFar, direction] = [differenceMs > 5 * MINUTE_MS, aheadMs > 0 ? 'adelantado' : 'atrasado']
  return (isFar ? fault : warning)(
    `Va ${isFar ? `${Math.round(differenceMs / MINUTE_MS)} minutos` : `${Math.round(differenceMs / 1_000)} segundos`} ${direction} respecto de ${host}.`,
    'Corrige el reloj del servidor (timedatectl set-ntp true): de él dependen periodos, votos y códigos.',
  )
}

/** Paths in the data folder that only the site's account may read. */
const PRIVATE_PATHS = ['', 'session-secret', 'primer-administrador.txt', 'postgres', 'objects', 'temporales', 'outbox']

const permissions: HealthCheck = {
  de: 'permisos',
  titulo: 'Permisos de los archivos',
  async run({ settings }) {
    if (process.platform === 'win32') return ok('En Windows no se revisan.')
    const secretFiles = SECRETS.flatMap((name) => process.env[`${name}_FILE`] || [])
    const paths = [...PRIVATE_PATHS.map((name) => join(settings.dataDir, name)), ...secretFiles]
    const modes = await Promise.all(
      paths.map(async (path) => [path, (await stat(path).catch(() => undefined))?.mode] as const),
    )
    const [root] = modes
    if (root?.[1] === undefined) return noDataFolder()
    // If the data folder is closed to other accounts, so are the files in it.
    const isRootOpen = (root[1] & 0o077) !== 0
    const openPaths = modes.filter(
      ([path, mode]) =>
        mode !== undefined && (mode & 0o077) !== 0 && (path === root[0] || isRootOpen || secretFiles.includes(path)),
    )
    if (openPaths.length === 0) return ok('Sólo la cuenta del sitio lee la carpeta de datos y los secretos.')
    const isSecretOpen = openPaths.some(([path]) => secretFiles.includes(path) || path.endsWith('session-secret'))
    const findingText = `Otras cuentas de la máquina pueden leer ${openPaths.map(([path]) => path).join(', ')}.`
    const remedy = `Ciérralos: chmod go= ${openPaths.map(([path]) => path).join(' ')}`
    return isSecretOpen ? fault(findingText, remedy) : warning(findingText, remedy)
  },
}

/** Estimates the bits of a secret by the frequency of its characters (Shannon entropy). */
export function estimateSecretBits(secret: string): number {
  const countByCharacter = new Map<string, number>()
  for (const character of secret) countByCharacter.set(character, (countByCharacter.get(character) ?? 0) + 1)
  const length = [...secret].length
  return [...countByCharacter.values()].reduce((sum, count) => sum - count * Math.log2(count / length), 0)
}

/** Random text of 32 characters, the shortest SESSION_SECRET, has more bits, even if they are hexadecimal digits. */
const MIN_SECRET_BITS = 96
const WEAK_PASSWORD = /^(postgres|password|contrase.a|admin|secret|secreto|clave|changeme|123456\d*|certamen)$/i

const secrets: HealthCheck = {
  de: 'secretos',
  titulo: 'Fuerza de los secretos',
  async run({ settings, db }) {
    const { sessionSecret, backupKey, backupUrl, databaseUrl, smtpUrl } = settings
    const weakSecrets: string[] = []
    if (sessionSecret !== undefined && estimateSecretBits(sessionSecret) < MIN_SECRET_BITS)
      weakSecrets.push('SESSION_SECRET se puede adivinar')
    // BACKUP_KEY may have 20 characters only, so its limit is lower.
    if (backupKey !== undefined && estimateSecretBits(backupKey) < 64) weakSecrets.push('BACKUP_KEY se puede adivinar')
    const passwordOf = (url: string | undefined) => decodeURIComponent(URL.parse(url ?? '')?.password ?? '')
    if (WEAK_PASSWORD.test(passwordOf(databaseUrl)))
      weakSecrets.push('la clave de DATABASE_URL es de las primeras que se prueban')
    if (WEAK_PASSWORD.test(passwordOf(smtpUrl)))
      weakSecrets.push('la clave de SMTP_URL es de las primeras que se prueban')
    const remedy =
      'Haz otros con openssl rand -base64 32. Cambiar SESSION_SECRET con una votación abierta no se puede: espera a que cierre.'
    if (weakSecrets.length > 0) return fault(`${weakSecrets.join('; ')}.`, remedy)
    if (db && (await isKeyUnsaved(db, settings))) return warning(KEY_UNSAVED_NOTICE, 'En el panel, en «Estado».')
    if (backupUrl !== undefined && backupKey === undefined && db && !(await readOwnKey(db, settings)).isUsed)
      return warning(
        'Los respaldos no van cifrados, y por eso no llevan el secreto que firma.',
        'Pon BACKUP_KEY y guárdala fuera de este servidor.',
      )
    return ok(sessionSecret === undefined ? 'El secreto lo hizo el sitio.' : 'Son largos y al azar.')
  },
}

export const EXTERNAL_CHECKS: readonly HealthCheck[] = [
  smtp,
  storage,
  domain,
  proxy,
  certificate,
  clock,
  permissions,
  secrets,
]
