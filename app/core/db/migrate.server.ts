import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '#app/core/process/start-error.server.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'

/** PostgreSQL's lock_timeout while migrating. Queries queue behind a waiting migration, votes among them, and wait as long. */
const LOCK_TIMEOUT_MS = 1_000
/** Pause before a migration whose tables are in use is tried again. */
const BLOCKED_RETRY_MS = 2_000
/** While another process migrates, the advisory lock is requested at this interval. */
const LOCK_POLL_MS = 250
/** This long after the first wait for tables in use elsewhere, a further blocked attempt ends the migrations. */
const MAX_BLOCKED_MS = 10 * 60_000
/** SQLSTATEs that pass with time: lock_not_available and deadlock_detected. */
const RETRYABLE_SQLSTATES = ['55P03', '40P01']

interface MigrateOptions {
  /** Is called with a Spanish line if the migrations wait, or if the database is ahead of this version. */
  warn?(line: string): void
  /** Replaces MAX_BLOCKED_MS. */
  maxBlockedMs?: number
}

/**
 * Applies the migrations that this database has not seen, in the order of their names, each in its own transaction. If several
 * processes start at once, one at a time applies a migration while the other processes wait. The advisory lock belongs to a
 * transaction, so that it also holds behind a pooler that gives every transaction another connection.
 * @returns names of the migrations applied now
 * @throws StartError when PostgreSQL is too old, the database is too far ahead of this version, or a migration cannot be applied
 */
export async function migrate(pool: pg.Pool, folder: string, options: MigrateOptions = {}): Promise<string[]> {
  const { warn = () => {}, maxBlockedMs = MAX_BLOCKED_MS } = options
  const fileNames = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const client = await pool.connect()
  const appliedNames: string[] = []
  let deadlineMs: number | undefined
  let isWaiting = false
  const run: MigrationRun = { warn, lastBefore: undefined }
  try {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    )
    const versionFault = postgresFault(rows[0]!.version)
    if (versionFault !== undefined) throw new StartError(versionFault)
    for (;;) {
      const step = await tryApplyNext(client, folder, fileNames, run)
      if (step.kind === 'done') return appliedNames
      if (step.kind === 'lockTaken') {
        if (!isWaiting) warn('Otro proceso está aplicando migraciones; se espera a que termine.')
        isWaiting = true
        await sleep(LOCK_POLL_MS)
      } else if (step.kind === 'blocked') {
        deadlineMs ??= performance.now() + maxBlockedMs
        if (performance.now() > deadlineMs)
          throw new StartError(
            `La migración ${step.name} no pudo aplicarse: otra consulta usa sus tablas desde hace ${Math.round(maxBlockedMs / 60_000)} minutos. Termina esa consulta (pg_stat_activity la nombra) y vuelve a iniciar; los datos quedaron como estaban.`,
          )
        warn(`La migración ${step.name} espera: otra consulta usa sus tablas. Se intenta de nuevo en unos segundos.`)
        await sleep(BLOCKED_RETRY_MS)
      } else appliedNames.push(step.name)
    }
  } finally {
    client.release()
  }
}

/** PostgreSQL 14 does not know `nulls not distinct`, which the migrations use. */
const OLDEST_POSTGRES = 15

/**
 * Checks that a PostgreSQL is new enough.
 * @param versionNumber its `server_version_num`
 * @returns a Spanish explanation if it is too old; undefined if it is new enough
 */
export function postgresFault(versionNumber: number): string | undefined {
  const major = Math.floor(versionNumber / 10_000)
  return major >= OLDEST_POSTGRES
    ? undefined
    : `La base de datos es PostgreSQL ${major}, y el sitio necesita el ${OLDEST_POSTGRES} o uno más nuevo: no se cambió nada. Debian 12 trae el 15, y Debian 13 el 17.`
}

interface MigrationRun {
  warn(line: string): void
  /** Newest migration that was applied before this call; null for an empty database, undefined until it is read. */
  lastBefore: string | null | undefined
}

export interface AppliedMigration {
  nombre: string
  /**
   * Newest migration that the process which applied this migration found: normally the newest that the previous version knew. It
   * is null for the migrations of a new database, and for a row from before the column existed.
   */
  tras: string | null
  /** Whether the migration is a contraction (CONTRACTION_MARK); null for a row from before the column existed. */
  contrae: boolean | null
}

/**
 * A contracting migration begins with these words. It removes tables or columns that the previous version no longer uses.
 * @source https://martinfowler.com/bliki/ParallelChange.html
 */
const CONTRACTION_MARK = '-- Contrae'

/**
 * Returns whether this version can run on a database with a migration that it does not know. It can if the migration only adds,
 * or if this version directly precedes it and so no longer uses the removed parts; never if a newer version created the database.
 * @param knownNames names of this version's migrations
 */
export const isCompatibleWith = ({ tras, contrae }: AppliedMigration, knownNames: ReadonlySet<string>): boolean =>
  tras !== null && (contrae === false || knownNames.has(tras))

type MigrationStep = { kind: 'done' } | { kind: 'lockTaken' } | { kind: 'blocked' | 'applied'; name: string }

/** Applies the next migration in one transaction, if this process gets the lock. */
async function tryApplyNext(
  client: pg.PoolClient,
  folder: string,
  fileNames: string[],
  run: MigrationRun,
): Promise<MigrationStep> {
  await client.query('begin')
  try {
    const { rows } = await client.query<{ is_acquired: boolean }>(
      'select pg_try_advisory_xact_lock($1) as is_acquired',
      [ADVISORY_LOCKS.migrate],
    )
    const step: MigrationStep = rows[0]!.is_acquired
      ? await applyNext(client, folder, fileNames, run)
      : { kind: 'lockTaken' }
    await client.query(step.kind === 'blocked' ? 'rollback' : 'commit')
    return step
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function applyNext(
  client: pg.PoolClient,
  folder: string,
  fileNames: string[],
  run: MigrationRun,
): Promise<MigrationStep> {
  await client.query(
    `create table if not exists migraciones
       (nombre text primary key, aplicada timestamptz not null default now(), tras text, contrae boolean)`,
  )
  const { rows } = await client.query<AppliedMigration>('select nombre, tras, contrae from migraciones order by nombre')
  const appliedNames = new Set(rows.map((row) => row.nombre))
  const unknownMigrations = rows.filter(({ nombre }) => !fileNames.includes(nombre))
  const knownNames = new Set(fileNames)
  if (!unknownMigrations.every((migration) => isCompatibleWith(migration, knownNames)))
    throw new StartError(unknownMigrationsMessage(unknownMigrations.map(({ nombre }) => nombre)))
  if (unknownMigrations.length > 0 && run.lastBefore === undefined)
    run.warn(
      `La base de datos tiene cambios de una versión más nueva (${unknownMigrations.map(({ nombre }) => nombre).join(', ')}); ésta puede trabajar sobre ellos.`,
    )
  if (run.lastBefore === undefined) run.lastBefore = rows.at(-1)?.nombre ?? null
  const name = fileNames.find((file) => !appliedNames.has(file))
  if (name === undefined) return { kind: 'done' }
  const migrationSql = await readFile(join(folder, name), 'utf8')
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(migrationSql)
    await client.query('insert into migraciones (nombre, tras, contrae) values ($1, $2, $3)', [
      name,
      run.lastBefore,
      migrationSql.startsWith(CONTRACTION_MARK),
    ])
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code !== undefined && RETRYABLE_SQLSTATES.includes(code)) return { kind: 'blocked', name }
    const databaseMessage = message.replaceAll(/\s+/g, ' ')
    throw new StartError(
      `La migración ${name} no pudo aplicarse; la base de datos dice: ${databaseMessage}${code === undefined ? '' : ` (${code})`}. Los datos quedaron como estaban: vuelve a la versión anterior del sitio, o corrige lo que dice.`,
      { cause: error },
    )
  }
  return { kind: 'applied', name }
}

const unknownMigrationsMessage = (unknownNames: string[]) =>
  `La base de datos tiene cambios que esta versión del sitio no conoce (${unknownNames.slice(0, 3).join(', ')}${
    unknownNames.length > 3 ? ` y ${unknownNames.length - 3} más` : ''
  }). Inicia la versión más nueva del sitio, la que los hizo, o restaura una copia de antes.`
