// The verbs of npm run cuentas.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listAccounts } from '#app/accounts/data.server.ts'
import type { MailContext } from '#app/accounts/mails.server.ts'
import {
  type AccountRefusal,
  accreditJournalist,
  changeEmail,
  changePassword,
  changeRole,
  createAccount,
  deactivateAccount,
} from '#app/accounts/people/mutations.server.ts'
import { ROLES } from '#app/accounts/role-names.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS, type Role } from '#app/accounts/schema.ts'
import { removeSecondFactors } from '#app/accounts/second-factor/totp.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { assertDatabaseAnswers, type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { connectionTo } from '#app/core/postgres/embedded.server.ts'
import { runningSite } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { createKeyDeriver, readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { endOfDay, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { openSite } from '../../server/services.ts'
import { type Undo, undoAll } from '../../server/undo.ts'
import { root } from '../prepare.mjs'

const USAGE = `Uso:
  npm run cuentas -- crear --rol ROL --correo X [--medio "Nombre del medio"] [--clave-stdin]
  npm run cuentas -- acreditar --correo X --medio "Nombre del medio" [--hasta 2025-10-05]
  npm run cuentas -- listar
  npm run cuentas -- rol   --correo X --rol ROL
  npm run cuentas -- clave --correo X [--clave-stdin]
  npm run cuentas -- correo --correo X --nuevo Y
  npm run cuentas -- baja  --correo X
  npm run cuentas -- sin-segundo --correo X
acreditar le manda al medio un enlace para elegir su contraseña, si no tiene una ya; --hasta es el último día que vale.
sin-segundo quita el segundo paso a quien perdió su teléfono y sus códigos de respaldo.
--clave-stdin lee la contraseña de la entrada estándar; sin ella, se genera una y se muestra.`

const REFUSAL_MESSAGES: Record<AccountRefusal, string> = {
  address: 'ese correo no es una dirección válida (sólo letras sin acento, números y signos usuales)',
  outlet: 'el nombre del medio va en --medio, con 120 caracteres como máximo',
  pastDate: 'ese día ya pasó',
  alreadyUsed: 'ya hay una cuenta con ese correo',
  unknown: 'no hay ninguna cuenta de la organización o de prensa con ese correo',
  alreadyRequested: 'esa baja ya se pidió',
  wrongCode: 'ese código no es',
  wrongRole: 'eso no es algo que haga una cuenta de la organización',
  noSecondFactor: 'esa cuenta no tiene segundo paso',
  lastAdmin: 'es la única cuenta de administración que queda: crea otra antes',
  tooShort: `la contraseña debe tener al menos ${MIN_PASSWORD_CHARACTERS} caracteres`,
  tooLong: `la contraseña no debe pasar de ${MAX_PASSWORD_CHARACTERS} caracteres`,
  tooCommon: 'esa contraseña es de las más usadas, o se adivina: elige otra',
}

class UsageError extends Error {}
const failUsage = (line?: string): never => {
  throw new UsageError(line ? `${line}\n${USAGE}` : USAGE)
}

interface TypedCommand {
  verb: string | undefined
  values: Partial<Record<'rol' | 'correo' | 'medio' | 'hasta' | 'nuevo', string>> & { 'clave-stdin'?: boolean }
}

function parseArguments(args: string[]): TypedCommand {
  const textOption = { type: 'string' } as const
  const options = { rol: textOption, correo: textOption, medio: textOption, hasta: textOption, nuevo: textOption }
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...options, 'clave-stdin': { type: 'boolean' } },
    })
    return positionals.length > 1 ? failUsage() : { verb: positionals[0], values }
  } catch {
    return failUsage()
  }
}

/** Standard input and output of the command. */
export interface Terminal {
  read(): Promise<string>
  say(line: string): void
  complain(line: string): void
}

type VerbResult = { ok: true; password?: string } | { ok: false; reason: AccountRefusal }

/**
 * Parses the command, and checks that its arguments are there and well formed before the database is opened.
 * @returns a function that runs the verb
 * @throws UsageError
 */
async function parseCommand(
  { verb, values }: TypedCommand,
  { read, say }: Terminal,
): Promise<(db: Database, mailContext: MailContext) => Promise<VerbResult>> {
  const readEmail = () => values.correo ?? failUsage('Falta --correo.')
  const readRole = (): Role =>
    ROLES.find((role) => role === values.rol) ?? failUsage(`Falta --rol, que es uno de estos: ${ROLES.join(', ')}.`)
  const readValidUntil = () =>
    values.hasta === undefined
      ? undefined
      : (endOfDay(values.hasta) ?? failUsage('--hasta debe ser un día como 2025-10-05.'))
  /** Reads the password from standard input, without the line end that a terminal or `echo` adds. */
  const readPassword = async () => (values['clave-stdin'] ? (await read()).replace(/\r?\n$/, '') : undefined)
  switch (verb) {
    case 'crear': {
      const newAccount = { email: readEmail(), role: readRole(), outlet: values.medio, password: await readPassword() }
      return (db) => createAccount(db, newAccount, TERMINAL)
    }
    case 'acreditar': {
      const newAccount = {
        email: readEmail(),
        outlet: values.medio ?? failUsage('Falta --medio.'),
        validUntil: readValidUntil(),
      }
      return (db, mailContext) => accreditJournalist(db, newAccount, TERMINAL, mailContext)
    }
    case 'rol': {
      const [accountEmail, newRole] = [readEmail(), readRole()]
      return (db) => changeRole(db, accountEmail, newRole, TERMINAL)
    }
    case 'clave': {
      const [accountEmail, newPassword] = [readEmail(), await readPassword()]
      return (db, mailContext) => changePassword(db, accountEmail, newPassword, TERMINAL, mailContext)
    }
    case 'correo': {
      const [accountEmail, newEmail] = [readEmail(), values.nuevo ?? failUsage('Falta --nuevo.')]
      return (db) => changeEmail(db, accountEmail, newEmail, TERMINAL)
    }
    case 'baja': {
      const accountEmail = readEmail()
      return (db, { now }) => deactivateAccount(db, accountEmail, now, TERMINAL)
    }
    case 'sin-segundo': {
      const accountEmail = readEmail()
      return (db) => removeSecondFactors(db, accountEmail, TERMINAL)
    }
    case 'listar':
      return async (db) => {
        for (const { email, role, outlet, validUntil, deactivatedAt } of await listAccounts(db)) {
          const notes = [
            outlet,
            validUntil && `hasta ${isoDateOf(validUntil)}`,
            deactivatedAt && `de baja desde ${isoDateOf(deactivatedAt)}`,
          ].filter(Boolean)
          say([role.padEnd(6), email, ...notes].join('  '))
        }
        return { ok: true }
      }
    default:
      return failUsage()
  }
}

/** Opens the site's database: at DATABASE_URL, in the running site, or an embedded one, which is started with the data folder claimed. */
async function openAccounts(settings: Settings, pid: number | undefined, undo: Undo, { say, complain }: Terminal) {
  if (pid === undefined && !settings.databaseUrl) {
    const { site, firstAdmin } = await openSite(settings, join(root, 'db/migrations'), undo)
    if (firstAdmin) say(`Primer administrador: ${firstAdmin.email} (su contraseña está en ${firstAdmin.file})`)
    return site.services.db
  }
  const pool = openPool(settings.databaseUrl ?? connectionTo(join(settings.dataDir, 'postgres'), pid!), 1)
  undo.push(() => pool.end())
  await assertDatabaseAnswers(pool, settings)
  await migrate(pool, join(root, 'db/migrations'), { warn: complain })
  return openDatabase(pool)
}

/**
 * Runs the command.
 * @returns the exit code: 2 for invalid arguments, 1 for a refused change
 * @throws StartError if the site cannot be opened, or if its secret is missing here
 */
export async function accounts(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<0 | 1 | 2> {
  const { say, complain } = terminal
  const undo: Undo = []
  try {
    const typedCommand = parseArguments(args)
    const runVerb = await parseCommand(typedCommand, terminal)
    const settings = readSettings({ ...env, LOG_LEVEL: env.LOG_LEVEL ?? 'error' })
    const running = await runningSite(settings.dataDir)
    // Links in mail lead to the running site, unless PUBLIC_URL is set for this command.
    const publicUrl = env.PUBLIC_URL ? settings.publicUrl : (running?.url ?? settings.publicUrl)
    const db = await openAccounts(settings, running?.pid, undo, terminal)
    // The running site needs the same secret as this command to decrypt the queued mail.
    if (running && !settings.sessionSecret && !existsSync(join(settings.dataDir, 'session-secret')))
      throw new StartError(
        'El sitio en marcha usa su propio SESSION_SECRET. Ponlo también aquí: sin él no podría enviar los correos que esta orden deja en espera.',
      )
    const secret = settings.sessionSecret ?? (await readOrCreateSecret(settings.dataDir))
    const sender = mailSenderOf({ settings: { ...settings, publicUrl }, keyed: createKeyDeriver(secret) })
    const verbResult = await runVerb(db, { sender, now: createClock(settings.siteClock).now() })
    if (!verbResult.ok) complain(`No se hizo: ${REFUSAL_MESSAGES[verbResult.reason]}.`)
    else if (verbResult.password !== undefined && !typedCommand.values['clave-stdin'])
      say(`Correo:     ${typedCommand.values.correo}\nContraseña: ${verbResult.password}\nNo se vuelve a mostrar.`)
    else if (typedCommand.verb !== 'listar') say('Hecho.')
    return verbResult.ok ? 0 : 1
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    complain(error.message)
    return 2
  } finally {
    await undoAll(undo)
  }
}
