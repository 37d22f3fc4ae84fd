import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { openPool } from '#app/core/db/database.server.ts'
import { connectionTo, startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir, runningSite } from '#app/core/process/data-folder-lock.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { markAsLasting, type Undo } from '../../server/undo.ts'

/**
 * Returns the connection of the site's database: at DATABASE_URL, in the running site, or in the embedded server, which is
 * started, with the data folder claimed; undefined without a database.
 */
export async function connectDatabase(settings: Settings, undo: Undo): Promise<string | pg.PoolConfig | undefined> {
  if (settings.databaseUrl) return settings.databaseUrl
  const folder = join(settings.dataDir, 'postgres')
  if (!existsSync(folder)) return undefined
  const running = await runningSite(settings.dataDir)
  if (running) return connectionTo(folder, running.pid)
  undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))
  return startEmbedded(settings, undo)
}

async function startEmbedded({ dataDir }: Settings, undo: Undo): Promise<pg.PoolConfig> {
  const postgres = await startPostgres(join(dataDir, 'postgres'), (message) => console.warn(message))
  undo.push(markAsLasting(() => postgres.stop()))
  return postgres.connection
}

/** Opens the database into which a site is restored or moved: at DATABASE_URL, or in the data folder, where it is made if missing. */
export async function openTargetDatabase(settings: Settings, undo: Undo): Promise<pg.Pool> {
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))
  const pool = openPool(settings.databaseUrl ?? (await startEmbedded(settings, undo)), 6)
  undo.push(() => pool.end())
  return pool
}
