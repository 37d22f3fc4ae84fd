import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { openPool } from '#app/core/db/database.server.ts'
import { connectionTo, startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir, runningSite } from '#app/core/process/data-folder-lock.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { toItsEnd, type Undo } from '../../server/undo.ts'

/**
 * Connects to DATABASE_URL's server, to the running site's, or to an embedded one started now. Returns undefined without a
 * database.
 */
export async function connect(settings: Settings, undo: Undo): Promise<Parameters<typeof openPool>[0] | undefined> {
  if (settings.databaseUrl) return settings.databaseUrl
  const folder = join(settings.dataDir, 'postgres')
  if (!(await isThere(folder))) return undefined
  const running = await runningSite(settings.dataDir)
  if (running) return connectionTo(folder, running.pid)
  undo.push(await lockDataDir(settings.dataDir, settings.publicUrl))
  const postgres = await startPostgres(folder, (message) => console.warn(message))
  undo.push(toItsEnd(() => postgres.stop()))
  return postgres.connection
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
