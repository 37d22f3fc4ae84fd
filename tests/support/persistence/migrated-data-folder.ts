import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'

/** Where the workers of a run find it. */
const BASE = 'CERTAMEN_BASE_MIGRADA'

/**
 * Once for a run: the database that its sites begin with, migrated and with nothing in it. None is kept for the next run,
 * since one that nothing has looked at for a day takes the machine's clock for one that leapt ahead.
 */
export default async function makeBaseMigrada(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-base-'))
  const server = await startPostgres(join(folder, 'postgres'), console.warn)
  // What is in a site of the tests need not outlive a power cut: nothing waits for the disk.
  const admin = openPool(server.superuser, 1)
  for (const setting of ['fsync', 'full_page_writes']) await admin.query(`alter system set ${setting} = off`)
  await admin.end()
  const pool = openPool(server.connection, 1)
  await migrate(pool, 'db/migrations')
  await pool.end()
  await server.stop()
  process.env[BASE] = folder
  return () => rm(folder, { recursive: true, force: true })
}

/** A data folder of its own with that database: its start has the rest to do, the first publication among it. */
export async function migratedDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  await cp(process.env[BASE]!, dataDir, { recursive: true })
  return dataDir
}
