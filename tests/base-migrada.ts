import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '#app/platform/database.server.ts'
import { migrate } from '#app/platform/migrate.server.ts'
import { startPostgres } from '#app/platform/postgres.server.ts'
import { exists } from '#app/platform/postgres-native.server.ts'

const MIGRATIONS = 'db/migrations'
const KEPT = '.cache/base-migrada'

/**
 * Makes the database that sites of the tests begin with, migrated and with nothing in it, where there is none of these
 * migrations and of this PostgreSQL. What an older state left goes.
 */
export default async function ensureBaseMigrada(): Promise<void> {
  const name = await stamp()
  if (await exists(join(KEPT, name))) return
  await rm(KEPT, { recursive: true, force: true })
  const folder = await mkdtemp(join(tmpdir(), 'certamen-base-'))
  const server = await startPostgres(join(folder, 'postgres'), console.warn)
  // What is in a site of the tests need not outlive a power cut: nothing waits for the disk.
  const admin = openPool(server.superuser, 1)
  for (const setting of ['fsync', 'full_page_writes']) await admin.query(`alter system set ${setting} = off`)
  await admin.end()
  const pool = openPool(server.connection, 1)
  await migrate(pool, MIGRATIONS)
  await pool.end()
  await server.stop()
  await mkdir(KEPT, { recursive: true })
  await cp(folder, join(KEPT, `${name}.nueva`), { recursive: true })
  await rename(join(KEPT, `${name}.nueva`), join(KEPT, name))
  await rm(folder, { recursive: true, force: true })
}

/** A data folder of its own with that database: its start has the rest to do, the first publication among it. */
export async function migratedDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  await cp(join(KEPT, await stamp()), dataDir, { recursive: true })
  return dataDir
}

/** Of what makes that database as it is. */
async function stamp(): Promise<string> {
  const hash = createHash('sha256').update(await readFile('package-lock.json'))
  for (const file of ['tests/base-migrada.ts', 'app/platform/postgres-native.server.ts'])
    hash.update(await readFile(file))
  for (const name of (await readdir(MIGRATIONS)).sort())
    hash.update(`${name}\0`).update(await readFile(join(MIGRATIONS, name)))
  return hash.digest('hex').slice(0, 16)
}
