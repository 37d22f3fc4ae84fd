import { randomUUID } from 'node:crypto'
import { parseEnv } from 'node:util'
import { openSmtp } from '#app/core/mail-transport/smtp.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { isS3 } from '#app/core/storage/open-store.server.ts'
import { destinationFault } from '#app/ops/backup/destination-fault.server.ts'
import { sameDiskNotice } from '#app/ops/backup/same-disk-notice.server.ts'
import { openBackupStore, streamOf } from '#app/ops/backup/store.server.ts'
import { reasonOf, runChecks } from '#app/ops/health/check.server.ts'
import { EXTERNAL_CHECKS } from '#app/ops/health/external-checks.server.ts'
import { ping } from '#app/ops/health/heartbeat.server.ts'
import { isForOperator } from '../../server/end-with-fault.ts'

const MAIL_TIMEOUT_MS = 60_000

/** The person at the terminal, who answers the questions. */
export interface Operator {
  ask(question: string): Promise<string>
  say(line: string): void
  /**
   * Returns the passphrase of the backups; undefined if backups are not encrypted. `markNoted` stores that the operator has the
   * passphrase on paper.
   */
  readKey(settings: Settings): Promise<{ passphrase: string; markNoted(): Promise<void> } | undefined>
}

interface Question {
  /** Name of the setting. The question about the backups' key changes no setting, and has no name. */
  name?: 'PUBLIC_URL' | 'ADMIN_EMAIL' | 'SMTP_URL' | 'BACKUP_URL' | 'AVISO_URL'
  title: string
  wording?: string
  /** Returns the setting's value for an answer, after more questions if needed. */
  complete?(answer: string, operator: Operator): Promise<string> | string
  /** Tries the setting. @returns the fault in Spanish; undefined if the setting works @throws an error that is shown as the fault */
  tryOut(settings: Settings, operator: Operator): Promise<string | undefined>
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'PUBLIC_URL',
    title: 'dominio',
    wording: 'Dominio del sitio, como certamen.ejemplo.mx',
    complete: (answer) => (answer.includes('://') ? answer : `https://${answer}`),
    tryOut: (settings) => tryChecks(settings, 'dns', 'proxy', 'certificado'),
  },
  {
    name: 'ADMIN_EMAIL',
    title: 'correo de quien organiza',
    wording: 'Correo de quien organiza',
    tryOut: async ({ adminEmail }) => (adminEmail ? undefined : 'Sin él no hay a quién mandar un correo de prueba.'),
  },
  {
    name: 'SMTP_URL',
    title: 'correo',
    wording: 'Servidor que envía el correo, como smtp.ejemplo.mx:465',
    complete: completeMailServer,
    tryOut: async (settings, operator) => (await tryChecks(settings, 'smtp')) ?? (await tryMail(settings, operator)),
  },
  {
    name: 'BACKUP_URL',
    title: 'lugar de las copias',
    wording: 'Lugar de las copias: una carpeta de otro disco, o s3://LLAVE:SECRETO@cubeta?endpoint=https://servidor',
    tryOut: tryBackupDestination,
  },
  { title: 'clave de las copias', tryOut: tryKey },
  {
    name: 'AVISO_URL',
    title: 'vigilancia',
    wording: 'Dirección de quien avisa si el sitio se cae (healthchecks.io), como https://hc-ping.com/…',
    tryOut: tryHeartbeat,
  },
]

/**
 * Asks for the settings that a real site needs, and tries each at once; an empty answer keeps the present value.
 * @param text content of the settings file
 * @param env variables as the process received them
 * @returns the new content of the settings file
 */
export async function configure(text: string, env: NodeJS.ProcessEnv, operator: Operator): Promise<string> {
  const { ask, say } = operator
  let variables: NodeJS.ProcessEnv = { ...parseEnv(text), ...env }
  let settings = readSettings(variables)
  const missingTitles: string[] = []
  for (const question of QUESTIONS) {
    const { name, title, wording, complete = (answer: string) => answer, tryOut } = question
    for (;;) {
      let fault: string | undefined
      try {
        const answer = name && (await ask(`${wording}${variables[name] ? ' (Enter: como está)' : ''}: `))
        if (name && answer) {
          // A quoted value in the settings file cannot contain an apostrophe; a URL may contain it encoded.
          const newVariables = { ...variables, [name]: (await complete(answer, operator)).replaceAll("'", '%27') }
          settings = readSettings(newVariables)
          variables = newVariables
          text = withSetting(text, name, newVariables[name]!)
        }
        fault = await tryOut(settings, operator)
      } catch (error) {
        fault = isForOperator(error) ? error.message : `No se pudo probar (${reasonOf(error)}).`
      }
      if (fault === undefined) break
      say(fault)
      let choice = ''
      do choice = await ask('¿La corriges, o la dejas así y sigues? (c/s) ')
      while (!/^[cs]?$/i.test(choice.trim()))
      if (/c/i.test(choice)) continue
      missingTitles.push(title)
      break
    }
  }
  say(
    missingTitles.length === 0
      ? 'Todo contestó.'
      : `Falta: ${missingTitles.join(', ')}. Repite la orden cuando lo tengas.`,
  )
  return text
}

/**
 * Replaces a setting's line in a settings file or, if there is none, its commented line, or adds the line. Further lines of the
 * setting are removed; all other lines stay.
 */
export function withSetting(text: string, name: string, value: string): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const setsName = (line: string) => line.startsWith(`${name}=`)
  const replacedIndex = [lines.findIndex(setsName), lines.findIndex((line) => line.startsWith(`#${name}=`))].find(
    (index) => index >= 0,
  )
  lines.splice(replacedIndex ?? lines.length, replacedIndex === undefined ? 0 : 1, `${name}='${value}'`)
  const firstIndex = lines.findIndex(setsName)
  return `${lines.filter((line, index) => index === firstIndex || !setsName(line)).join('\n')}\n`.replace(/^\n/, '')
}

/**
 * Runs the health checks with the given ids.
 * @returns the first finding that is not ok, with its remedy; undefined if all findings are ok
 */
async function tryChecks(settings: Settings, ...ids: string[]): Promise<string | undefined> {
  const isRunning = (await runningSite(settings.dataDir)) !== undefined
  const checks = ids.flatMap((id) => EXTERNAL_CHECKS.filter(({ de }) => de === id))
  const lines = await runChecks(checks, { settings, db: undefined, root: '', isRunning, now: new Date() })
  const finding = lines.find(({ nivel }) => nivel !== 'ok')
  return finding && `${finding.dice} ${finding.remedio}`
}

/** Composes the URL of a mail server from its name, account and password. A typed URL stays as it is. */
async function completeMailServer(server: string, { ask }: Operator): Promise<string> {
  if (server.includes('://')) return server
  const account = encodeURIComponent(await ask('Su cuenta, casi siempre el correo entero: '))
  const password = account && encodeURIComponent(await ask('Su clave: '))
  // Port 465, the default, has TLS from the start, other ports STARTTLS.
  return `${/:(?!465$)\d+$/.test(server) ? 'smtp' : 'smtps'}://${account && `${account}:${password}@`}${server}`
}

async function tryMail(settings: Settings, { ask }: Operator): Promise<string | undefined> {
  const { adminEmail, mailFrom, publicUrl, smtpUrl } = settings
  if (adminEmail === undefined) return 'No se mandó un correo de prueba, porque falta el de quien organiza.'
  const mailer = openSmtp(smtpUrl!, { name: new URL(publicUrl).hostname, address: mailFrom })
  const text = `El sitio ${publicUrl} ya puede enviar correo.`
  const outcome = await mailer
    .send(
      {
        messageId: randomUUID(),
        kind: 'prueba',
        to: adminEmail,
        date: new Date(),
        subject: 'Prueba del correo del sitio',
        text: text,
        html: `<p>${text}</p>`,
      },
      AbortSignal.timeout(MAIL_TIMEOUT_MS),
    )
    .finally(() => mailer.close())
  if (!outcome.ok)
    return `El servidor no aceptó un correo de ${mailFrom} para ${adminEmail} (${outcome.code}). Revisa los dos: el primero es MAIL_FROM o la cuenta.`
  return /^s/i.test(await ask(`Mandé uno a ${adminEmail}. ¿Llegó? (s/n) `))
    ? undefined
    : 'El servidor lo aceptó y no lo entregó. Mira entre el correo no deseado, y pregunta a tu proveedor por el dominio del remitente (SPF y DKIM).'
}

/**
 * Tries the destination of the backups by writing and removing a file.
 * @returns a Spanish sentence about what is missing or unsafe; undefined if nothing is
 * @throws BackupFault with the remedy if the destination cannot be used
 */
async function tryBackupDestination({ backupUrl, dataDir }: Settings, { say }: Operator): Promise<string | undefined> {
  if (backupUrl === undefined) return 'Sin un lugar no se hace ninguna copia: si el servidor muere, se pierde todo.'
  try {
    const { storage, write } = await openBackupStore(backupUrl, undefined)
    const path = randomUUID()
    await write('prueba', path, streamOf('ok'))
    await storage.remove('prueba', path)
  } catch (error) {
    throw destinationFault(error, backupUrl) ?? error
  }
  // systemd confines the service to its own folders, but not this command, so a successful trial would prove nothing for the
  // service.
  if (!isS3(backupUrl) && !`${backupUrl}/`.startsWith('/var/backups/certamen/'))
    say(
      `Para que el servicio escriba ahí: systemctl edit certamen, y los renglones [Service] y ReadWritePaths=${backupUrl}.`,
    )
  return sameDiskNotice(backupUrl, dataDir)
}

const KEY_END_CHARACTERS = 5

/**
 * Asks for the last characters of the backups' key, to check that the operator has the key on paper. An operator who does not
 * know the characters is shown the key.
 * @returns a Spanish sentence about what is missing; undefined once the operator has the key
 */
async function tryKey(settings: Settings, { ask, say, readKey }: Operator): Promise<string | undefined> {
  const key = await readKey(settings)
  if (key === undefined) return 'Las copias no van cifradas: pon BACKUP_KEY y otro lugar de copias.'
  const { passphrase, markNoted } = key
  const isKnown = async (question: string) => passphrase.slice(-KEY_END_CHARACTERS) === (await ask(question))
  if (!(await isKnown('Últimos cinco signos de la clave de las copias (Enter: muéstramela): '))) {
    say(
      `Es ${passphrase} y sin ella ninguna copia se abre en otro servidor. Escríbela en papel y guárdala lejos de él.`,
    )
    if (!(await isKnown('Escribe sus últimos cinco signos, para saber que la tienes: '))) return 'No son ésos.'
  }
  await markNoted()
  return undefined
}

async function tryHeartbeat({ heartbeatUrl }: Settings, { say }: Operator): Promise<string | undefined> {
  if (heartbeatUrl === undefined) return 'Sin ella, fuera de este servidor nadie avisa si el sitio se cae.'
  try {
    await ping(heartbeatUrl)
  } catch (error) {
    return `${new URL(heartbeatUrl).host} no recibió la señal (${reasonOf(error)}). Copia otra vez la dirección, entera, de la página de ese servicio.`
  }
  say('Contesta: si el sitio calla, ese servicio te avisa.')
  return undefined
}
