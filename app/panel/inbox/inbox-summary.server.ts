import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { readActivity } from '#app/entries/states/activity.server.ts'
import type { InboxSummaryData } from './inbox-summary.tsx'

/** Time without a call of `recordLookAndReadSummary` after which an organiser's look has ended. */
const LOOK_END_MS = 30 * 60_000

/**
 * Records an organiser's look at the inbox. The column `desde` cannot be null, so it is 1970 at the first look.
 * @returns the last moment of the previous look; null at the first look
 */
async function recordLook(db: Database, userId: string, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ desde: Date | null }>`
    insert into escritorios as stored (user_id, desde, at) values (${userId}, to_timestamp(0), ${now})
    on conflict (user_id) do update set at = greatest(stored.at, excluded.at),
      desde = case when stored.at < ${new Date(now.getTime() - LOOK_END_MS)} then stored.at else stored.desde end
    returning nullif(desde, to_timestamp(0)) as desde`.execute(db)
  return rows[0]?.desde ?? null
}

/**
 * Reads an edition's inbox summary, and records the call as part of an organiser's look. New are the entries since the last call of
 * the previous look (LOOK_END_MS).
 */
export async function recordLookAndReadSummary(
  db: Database,
  userId: string,
  year: number,
  now: Date,
): Promise<InboxSummaryData> {
  const lastLookAt = await recordLook(db, userId, now)
  const { newCount, oldestReceivedAt } = await readActivity(db, year, lastLookAt)
  return {
    newEntryCount: newCount,
    lastVisitText: lastLookAt && formatPastMoment(lastLookAt, now),
    oldestText: oldestReceivedAt && formatPastMoment(oldestReceivedAt, now),
  }
}
