import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '#app/core/process/start-error.server.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'

/** A migration waits this many milliseconds for a table, since queries queued behind it, votes among them, wait as long. */
const LOCK_TIMEOUT_MS = 1_000
const RETRY_MS = 2_000
/** This is the pause before asking again for the lock, which another process holds while it applies migrations. */
const TURN_MS = 250
const PATIENCE_MS = 10 * 60_000
/** These SQLSTATEs, lock_not_available and deadlock_detected, both pass with time. */
const RETRYABLE_SQLSTATES = ['55P03', '40P01']

interface Options {
  /** Receives a Spanish line when the migrations wait, or when the database is ahead of this version. */
  warn?(line: string): void
  /** Tables in use elsewhere are waited for this many milliseconds, all migrations together. */
  patienceMs?: number
}

/**
 * Applies the migrations that this database has not seen, in the order of their names, one transaction each. Several processes
 * may start at once: one applies, the others wait. The advisory lock belongs to each transaction, so that it also holds behind
 * a pooler that hands every transaction another connection.
 * @returns names of the migrations applied now
 * @throws StartError when PostgreSQL is too old, the database is too far ahead of this version, or a migration cannot be applied
 */
export async function migrate(pool: pg.Pool, folder: string, options: Options = {}): Promise<string[]> {
  const { warn = () => {}, patienceMs = PATIENCE_MS } = options
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const client = await pool.connect()
  const applied: string[] = []
  let deadline: number | undefined
  let isWaiting = false
  const run: MigrationRun = { warn, lastBefore: undefined }
  try {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    )
    const tooOld = postgresFault(rows[0]!.version)
    if (tooOld !== undefined) throw new StartError(tooOld)
    for (;;) {
      const step = await tryStep(client, folder, files, run)
      if (step === 'done') return applied
      if (step === 'not ours') {
        if (!isWaiting) warn('Otro proceso está aplicando migraciones; se espera a que termine.')
        isWaiting = true
        await sleep(TURN_MS)
      } else if ('held' in step) {
        deadline ??= Date.now() + patienceMs
        if (Date.now() > deadline)
          throw new StartError(
            `La migración ${step.held} no pudo aplicarse: otra consulta usa sus tablas desde hace ${Math.round(patienceMs / 60_000)} minutos. Termina esa consulta (pg_stat_activity la nombra) y vuelve a iniciar; los datos quedaron como estaban.`,
          )
        warn(`La migración ${step.held} espera: otra consulta usa sus tablas. Se intenta de nuevo en unos segundos.`)
        await sleep(RETRY_MS)
      } else applied.push(step.applied)
    }
  } finally {
    client.release()
  }
}

/** The migrations need this version of PostgreSQL: 14 knows no `nulls not distinct`. */
const OLDEST_POSTGRES = 15

/** Returns a Spanish sentence for a PostgreSQL that is too old. @param version its `server_version_num` */
export function postgresFault(version: number): string | undefined {
  const major = Math.floor(version / 10_000)
  return major >= OLDEST_POSTGRES
    ? undefined
    : `La base de datos es PostgreSQL ${major}, y el sitio necesita el ${OLDEST_POSTGRES} o uno más nuevo: no se cambió nada. Debian 12 trae el 15, y Debian 13 el 17.`
}

/** A run is the state of one start. */
interface MigrationRun {
  warn(line: string): void
  /** The last migration before this start; null: the database was empty; undefined: not read yet. */
  lastBefore: string | null | undefined
}

export interface Applied {
  nombre: string
  /** The last migration before the start that applied this one: the newest that the previous version knew. */
  tras: string | null
  contrae: boolean | null
}

/** A migration that removes parts which the previous version no longer uses begins with these words. */
const CONTRACTION_MARK = '-- Contrae'

/**
 * Returns whether this version can run over a migration that it does not know: the migration only adds, or this version is the
 * one before it, which no longer uses the removed parts.
 * @param known names of this version's migrations
 */
export const isCompatibleWith = ({ tras, contrae }: Applied, known: ReadonlySet<string>): boolean =>
  tras !== null && (contrae === false || known.has(tras))

type Step = 'done' | 'not ours' | { held: string } | { applied: string }

/** Applies the next migration in one transaction, if this process gets the lock. */
async function tryStep(client: pg.PoolClient, folder: string, files: string[], run: MigrationRun): Promise<Step> {
  await client.query('begin')
  try {
    const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_xact_lock($1) as ours', [
      ADVISORY_LOCKS.migrate,
    ])
    const step = rows[0]!.ours ? await applyNext(client, folder, files, run) : 'not ours'
    await client.query(typeof step === 'object' && 'held' in step ? 'rollback' : 'commit')
    return step
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function applyNext(client: pg.PoolClient, folder: string, files: string[], run: MigrationRun): Promise<Step> {
  await client.query(
    `create table if not exists migraciones
       (nombre text primary key, aplicada timestamptz not null default now(), tras text, contrae boolean)`,
  )
  const { rows } = await client.query<Applied>('select nombre, tras, contrae from migraciones order by nombre')
  const appliedNames = new Set(rows.map((row) => row.nombre))
  const unknownMigrations = rows.filter(({ nombre }) => !files.includes(nombre))
  const known = new Set(files)
  if (!unknownMigrations.every((one) => isCompatibleWith(one, known)))
    throw new StartError(unknownMigrationsMessage(unknownMigrations.map(({ nombre }) => nombre)))
  if (unknownMigrations.length > 0 && run.lastBefore === undefined)
    run.warn(
      `La base de datos tiene cambios de una versión más nueva (${unknownMigrations.map(({ nombre }) => nombre).join(', ')}); ésta puede trabajar sobre ellos.`,
    )
  if (run.lastBefore === undefined) run.lastBefore = rows.at(-1)?.nombre ?? null
  const name = files.find((file) => !appliedNames.has(file))
  if (name === undefined) return 'done'
  const text = await readFile(join(folder, name), 'utf8')
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(text)
    await client.query('insert into migraciones (nombre, tras, contrae) values ($1, $2, $3)', [
      name,
      run.lastBefore,
      text.startsWith(CONTRACTION_MARK),
    ])
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code !== undefined && RETRYABLE_SQLSTATES.includes(code)) return { held: name }
    const databaseMessage = message.replaceAll(/\s+/g, ' ')
    throw new StartError(
      `La migración ${name} no pudo aplicarse; la base de datos dice: ${databaseMessage}${code === undefined ? '' : ` (${code})`}. Los datos quedaron como estaban: vuelve a la versión anterior del sitio, o corrige lo que dice.`,
      { cause: error },
    )
  }
  return { applied: name }
}

const unknownMigrationsMessage = (unknown: string[]) =>
  `La base de datos tiene cambios que esta versión del sitio no conoce (${unknown.slice(0, 3).join(', ')}${
    unknown.length > 3 ? ` y ${unknown.length - 3} más` : ''
  }). Inicia la versión más nueva del sitio, la que los hizo, o restaura una copia de antes.`
