import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { TEMPLATE } from './postgres.ts'

export interface TestDatabase {
  db: Database
  pool: pg.Pool
  /** Settings by which other pools and processes connect. */
  connection: pg.PoolConfig
  drop(): Promise<void>
}

/** Creates a database for a test file, cloned from the migrated template. */
export const freshDatabase = (): Promise<TestDatabase> => createDatabase(TEMPLATE)

/** Creates an empty database, without even a table. */
export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('template0')

interface OutdatedDatabase extends TestDatabase {
  /** Applies the migrations that the database lacks. */
  upgrade(): Promise<void>
}

/**
 * Creates a database to which only the migrations before the given one are applied.
 * @param migration name of the file, or its beginning
 */
export async function databaseBefore(migration: string): Promise<OutdatedDatabase> {
  const database = await createDatabase('template0')
  const migrationsFolder = await mkdtemp(join(tmpdir(), 'certamen-migraciones-'))
  const fileNames = (await readdir(MIGRATIONS)).filter((name) => name < migration)
  for (const name of fileNames) await copyFile(join(MIGRATIONS, name), join(migrationsFolder, name))
  await migrate(database.pool, migrationsFolder)
  await rm(migrationsFolder, { recursive: true })
  return {
    ...database,
    async upgrade() {
      await migrate(database.pool, MIGRATIONS)
    },
  }
}

const MIGRATIONS = 'db/migrations'

async function createDatabase(template: string): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `prueba_${randomBytes(6).toString('hex')}`
  const admin = openPool({ ...server, database: 'postgres' }, 1)
  await admin.query(`create database ${name} template ${template} owner certamen`)
  const connection = { ...server, user: 'certamen', database: name }
  const pool = openPool(connection)
  return {
    db: openDatabase(pool),
    pool,
    connection,
    async drop() {
      await pool.end()
      // The pool ends without waiting for the server to close its connections.
      for (let attemptsLeft = 100; attemptsLeft > 0; attemptsLeft--) {
        const { rowCount } = await admin.query('select 1 from pg_stat_activity where datname = $1', [name])
        if (rowCount === 0) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/**
 * Deletes every row of the given tables and of all tables that refer to them, without triggers or foreign keys. TRUNCATE would
 * create the files of each table again, which takes longer than most tests.
 */
export async function emptyTables(pool: pg.Pool, ...names: string[]): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `with recursive emptied (id) as (
       select name::regclass::oid from unnest($1::text[]) as name
       union select conrelid from pg_constraint join emptied on confrelid = id where contype = 'f')
     select id::regclass::text as name from emptied`,
    [names],
  )
  // Several statements in one text are one transaction.
  const deletes = rows.map(({ name }) => `delete from ${name}`)
  await pool.query(['set local session_replication_role = replica', ...deletes].join('; '))
}

/** Returns every value in a database, bytes unchanged, as a thief of a copy would read the data. */
export async function dumpOf(pool: pg.Pool, omittedTables: readonly string[] = []): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const values: string[] = []
  for (const { name } of tables.filter(({ name }) => !omittedTables.includes(name))) {
    const { rows } = await pool.query<Record<string, unknown>>(`select * from "${name}"`)
    for (const row of rows)
      for (const value of Object.values(row))
        values.push(Buffer.isBuffer(value) ? value.toString('latin1') : (JSON.stringify(value) ?? ''))
  }
  return values.join('\n')
}

/**
 * Takes a snapshot of a database, and returns a function that dumps the lines written since then. A secret of few digits may be in a
 * whole database by chance, but hardly ever in the lines that one action writes.
 */
export async function dumpSince(pool: pg.Pool): Promise<() => Promise<string>> {
  const readLines = async () => (await dumpOf(pool)).split('\n')
  const linesBefore = new Set(await readLines())
  return async () => (await readLines()).filter((line) => !linesBefore.has(line)).join('\n')
}
