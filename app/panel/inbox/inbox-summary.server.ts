import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { formatPastMoment } from '#app/core/time/mexico-dates.ts'
import { readActivity } from '#app/entries/states/activity.server.ts'
import type { InboxSummaryData } from './inbox-summary.tsx'

/** A visit ends when the organiser has asked for nothing for this long. */
const VISIT_GAP_MS = 30 * 60_000

/**
 * Records an organiser's visit to the inbox. The column `desde`, which cannot be null, is 1970 until the first visit has ended.
 * @returns the last moment of the visit before; null during the whole first visit
 */
async function recordVisit(db: Database, userId: string, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ desde: Date | null }>`
    insert into escritorios as stored (user_id, desde, at) values (${userId}, to_timestamp(0), ${now})
    on conflict (user_id) do update set at = greatest(stored.at, excluded.at),
      desde = case when stored.at < ${new Date(now.getTime() - VISIT_GAP_MS)} then stored.at else stored.desde end
    returning nullif(desde, to_timestamp(0)) as desde`.execute(db)
  return rows[0]?.desde ?? null
}

/**
 * Reads an edition's inbox summary. A call counts as a visit: entries from before a visit's last call are no longer new once half
 * an hour has passed without a call.
 */
export async function visitInbox(db: Database, userId: string, year: number, now: Date): Promise<InboxSummaryData> {
  const lastVisitAt = await recordVisit(db, userId, now)
  const { newCount, oldestReceivedAt } = await readActivity(db, year, lastVisitAt)
  return {
    newEntryCount: newCount,
    lastVisitText: lastVisitAt && formatPastMoment(lastVisitAt, now),
    oldestText: oldestReceivedAt && formatPastMoment(oldestReceivedAt, now),
  }
}
