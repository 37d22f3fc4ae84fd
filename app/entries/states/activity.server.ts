import type { Database } from '#app/core/db/database.server.ts'
import { isNotBeingDeleted } from '#app/entries/data.server.ts'

/** New and waiting entries of an edition, without those being deleted. */
export interface EntryActivity {
  /** Number of entries that arrived after the given moment. */
  newCount: number
  /** Arrival of the oldest entry in state «recibida»; undefined if there is none. */
  oldestReceivedAt: Date | undefined
}

/** Reads an edition's new and waiting entries. @param since later entries count as new; if it is null, none counts */
export async function readActivity(db: Database, edition: number, since: Date | null): Promise<EntryActivity> {
  const [newCount, oldestEntry] = await Promise.all([
    since === null
      ? 0
      : db
          .selectFrom('inscripciones')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('edicion', '=', edition)
          .where('created_at', '>', since)
          .where(isNotBeingDeleted)
          .executeTakeFirstOrThrow()
          .then(({ count }) => Number(count)),
    db
      .selectFrom('inscripciones')
      .select('created_at')
      .where('edicion', '=', edition)
      .where('estado', '=', 'recibida')
      .where(isNotBeingDeleted)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst(),
  ])
  return { newCount, oldestReceivedAt: oldestEntry?.created_at }
}
