import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { assertDatabaseAnswers, openPool } from '#app/core/db/database.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openStorage } from '#app/core/storage/open-store.server.ts'
import type { Undo } from '../../server/undo.ts'
import { connectDatabase } from './connect-database.ts'

export interface CommandSite {
  pool: pg.Pool
  storage: ObjectStorage
}

/**
 * Opens the site's database and storage, whether the site runs or not.
 * @param undo receives the steps that close database and storage
 * @throws StartError if there is no site, or if its database does not answer
 */
export async function openCommandSite(settings: Settings, undo: Undo): Promise<CommandSite> {
  const connection = await connectDatabase(settings, undo)
  if (connection === undefined)
    throw new StartError(`En ${settings.dataDir} todavía no hay ningún sitio. Revisa DATA_DIR.`)
  const pool = openPool(connection, 6)
  pool.on('error', () => {})
  undo.push(() => pool.end())
  await assertDatabaseAnswers(pool, settings)
  return { pool, storage: await openStorage(settings) }
}

/** Returns the session secret; undefined if neither a setting nor the data folder has it. */
export async function readSecret({ sessionSecret, dataDir }: Settings): Promise<string | undefined> {
  if (sessionSecret !== undefined) return sessionSecret
  const secret = await readFile(join(dataDir, 'session-secret'), 'utf8').catch(() => undefined)
  return secret?.trim()
}
