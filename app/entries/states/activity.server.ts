import type { Database } from '#app/core/db/database.server.ts'
import { isNotBeingDeleted } from '#app/entries/data.server.ts'

/** An Activity says what arrived in an edition, and what waits. */
export interface Activity {
  /** The entries that arrived after the given moment are counted, without those being deleted. */
  newCount: number
  /** The oldest entry that was not looked at yet arrived at this moment; undefined: none waits. */
  oldestReceivedAt: Date | undefined
}

/** Reads an edition's activity. @param from entries after this moment count as new; null: none does */
export async function readActivity(db: Database, edition: number, from: Date | null): Promise<Activity> {
  const [newCount, oldest] = await Promise.all([
    from === null
      ? 0
      : db
          .selectFrom('inscripciones')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('edicion', '=', edition)
          .where('created_at', '>', from)
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
  return { newCount, oldestReceivedAt: oldest?.created_at }
}
