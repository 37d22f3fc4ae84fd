import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'

/** The workers of a run find the folder of the migrated database in this environment variable. */
const BASE = 'CERTAMEN_BASE_MIGRADA'

/**
 * Prepares, once per run, the migrated and empty database that each site of the tests starts from. The next run makes a
 * new one: after a day without use, a site takes the machine's clock for one that leapt ahead.
 */
export default async function migrateDataFolder(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-base-'))
  const server = await startPostgres(join(folder, 'postgres'), console.warn)
  // Test data need not survive a power cut: no write waits for the disk.
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

/** Makes a data folder with a copy of the migrated database; the site's start adds the first publication. */
export async function migratedDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  await cp(process.env[BASE]!, dataDir, { recursive: true })
  return dataDir
}
