import type { Database } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { withOwnCommands } from '#app/core/process/own-commands.server.ts'
import type { Diagnosis } from './schema.ts'

export interface CheckContext {
  settings: Settings
  /** The site's database; undefined if it cannot be reached, for the reason in `noDatabaseReason`. */
  db: Database | undefined
  noDatabaseReason?: string | undefined
  root: string
  isRunning: boolean
  /**
   * The running version. Only the command `estado` states it and `unwellReason`, since the health watch is part of the running
   * version.
   */
  runningVersion?: string | undefined
  /** Reason why the running version does not answer well. */
  unwellReason?: string | undefined
  /** The machine's clock. */
  now: Date
}

export type Finding = Pick<Diagnosis, 'nivel' | 'dice' | 'remedio'>

/** A health check, with its stored id (`de`) and its Spanish title. */
export interface HealthCheck {
  de: string
  titulo: string
  /** Whether the check asks another machine, so that the health watch runs it less often. */
  isExternal?: true
  run(checkContext: CheckContext): Promise<Finding>
}

export type DatabaseCheckContext = Omit<CheckContext, 'db'> & { db: Database }

export const ok = (dice: string): Finding => ({ nivel: 'ok', dice })
export const warning = (dice: string, remedy: string): Finding => ({ nivel: 'aviso', dice, remedio: remedy })
export const fault = (dice: string, remedy: string): Finding => ({ nivel: 'falla', dice, remedio: remedy })

/** Returns the finding of checks before the site's first start. */
export const noDataFolder = () => warning('Todavía no hay carpeta de datos.', 'El primer arranque la hace: npm start.')

/** Wraps a check that needs the database. Without a database its finding is a warning. */
export const withDatabase =
  (run: (checkContext: DatabaseCheckContext) => Promise<Finding>) =>
  async (checkContext: CheckContext): Promise<Finding> => {
    const { db } = checkContext
    return db
      ? run({ ...checkContext, db })
      : warning(
          'No se pudo ver: la base de datos no responde.',
          'Compón primero la base de datos y vuelve a preguntar.',
        )
  }

const TIMEOUT_MS = 8_000

/** Runs checks concurrently. A check that throws, or does not answer within TIMEOUT_MS, is a fault. */
export const runChecks = (checks: readonly HealthCheck[], checkContext: CheckContext): Promise<Diagnosis[]> =>
  Promise.all(
    checks.map(async ({ de, titulo, run }) => {
      const timeout = new Promise<Finding>((resolve) => {
        setTimeout(
          () => resolve(fault(`No respondió en ${TIMEOUT_MS / 1_000} segundos.`, GENERAL_REMEDY)),
          TIMEOUT_MS,
        ).unref()
      })
      const finding = Promise.resolve()
        .then(() => run(checkContext))
        .catch((error: unknown) => fault(`No se pudo ver (${reasonOf(error)}).`, GENERAL_REMEDY))
      const { nivel, dice, remedio } = await Promise.race([finding, timeout])
      const ownWords = (text: string) => withOwnCommands(text, checkContext.root)
      return { de, titulo, nivel, dice: ownWords(dice), ...(remedio !== undefined && { remedio: ownWords(remedio) }) }
    }),
  )

const GENERAL_REMEDY = 'Avisa a quien cuida el servidor; en docs/operacion.md está qué hacer.'

/** Returns the reason of a failure without personal data: a code, or the error's name. */
export function reasonOf(error: unknown): string {
  const { code, cause, name, responseCode } = Object(error) as Record<string, unknown>
  if (typeof responseCode === 'number') return `${responseCode}`
  if (typeof code === 'string' || typeof code === 'number') return `${code}`
  return cause === undefined ? String(name ?? 'falla') : reasonOf(cause)
}
