import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'

/** Environment variable by which the workers of a run find the folder of the migrated database. */
const FOLDER_VARIABLE = 'CERTAMEN_BASE_MIGRADA'

/**
 * Prepares, once for each run, the migrated and empty database that the sites of the tests start from. A database of an earlier run
 * cannot be reused: after a day without use, a site's clock guard finds that the machine's clock has jumped.
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
  process.env[FOLDER_VARIABLE] = folder
  return () => rm(folder, { recursive: true, force: true })
}

/** Makes a data folder with a copy of the migrated database; the site's start adds the first publication. */
export async function migratedDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  await cp(process.env[FOLDER_VARIABLE]!, dataDir, { recursive: true })
  return dataDir
}
