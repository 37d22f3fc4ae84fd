import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createKeyDeriver, readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { explainOrphanedVotes } from '#app/voting/election/candidate-names.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { type Undo, undoAll } from '../../server/undo.ts'
import { connectDatabase } from './connect-database.ts'

/** SQLSTATEs undefined_table and undefined_column, of an older version's schema, which the next start migrates. */
const OLD_SCHEMA_SQLSTATES = new Set(['42P01', '42703'])

/**
 * Finds votes that a content change would orphan in this site's database, whether the site runs or not.
 * @returns the explanation in Spanish; undefined without such votes, without a site, and for a database of a version without the
 * needed tables
 * @throws the error that keeps the database from answering
 */
export async function findOrphanedVotes(
  election: Pick<Election, 'edicion' | 'candidatas'>,
): Promise<string | undefined> {
  const settings = readSettings(process.env)
  const undo: Undo = []
  try {
    const connection = await connectDatabase(settings, undo)
    if (!connection) return undefined
    const pool = openPool(connection, 1)
    undo.push(() => pool.end())
    const hasSecret = existsSync(join(settings.dataDir, 'session-secret'))
    const secret = settings.sessionSecret ?? (hasSecret ? await readOrCreateSecret(settings.dataDir) : randomUUID())
    return await explainOrphanedVotes({ db: openDatabase(pool), keyed: createKeyDeriver(secret) }, election)
  } catch (error) {
    if (error instanceof Error && 'code' in error && OLD_SCHEMA_SQLSTATES.has(String(error.code))) return undefined
    throw error
  } finally {
    await undoAll(undo)
  }
}
