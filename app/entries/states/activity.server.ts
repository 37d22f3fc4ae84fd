import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { DAY_MS, dayOf, endOfDay } from '#app/core/time/mexico-dates.ts'
import { isNotBeingDeleted } from '#app/entries/data.server.ts'
import { type EntryState, STATES } from '#app/entries/schema.ts'

/** An Activity says in numbers how the registration of an edition goes. */
export interface Activity {
  /** The entries that arrived after the given moment are counted, without those being deleted. */
  newCount: number
  /** The last DAY_COUNT days in Mexico City, such as 2025-08-14, stand with their entries, the oldest first. */
  perDay: { date: string; count: number }[]
  /** The oldest entry of each state arrived at this moment; a state without entries is absent. */
  oldestAt: Partial<Record<EntryState, Date>>
}

const DAY_COUNT = 14

/** Lists the last DAY_COUNT days in Mexico City, the oldest first, each from its midnight to the next midnight. */
function lastDays(now: Date) {
  const days = Array.from({ length: DAY_COUNT }, (_, daysAgo) =>
    dayOf(new Date(now.getTime() - (DAY_COUNT - 1 - daysAgo) * DAY_MS)),
  )
  const endOf = (day: string) => new Date(endOfDay(day)!.getTime() + 1)
  return days.map((day) => ({ day, from: new Date(endOf(day).getTime() - DAY_MS), to: endOf(day) }))
}

/** Reads an edition's activity. @param from entries after this moment count as new; null: none does */
export async function readActivity(db: Database, edition: number, from: Date | null, now: Date): Promise<Activity> {
  const days = lastDays(now)
  const [newCount, perDay, oldestByState] = await Promise.all([
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
    // One range per day lets the index count the entries; days and oldest entries include entries being deleted.
    sql<{ date: string; count: number }>`
      select d.date, (
        select count(*)::int from inscripciones
        where edicion = ${edition} and created_at >= d.since and created_at < d.until
      ) as count
      from unnest(${days.map(({ day }) => day)}::text[], ${days.map(({ from }) => from)}::timestamptz[],
        ${days.map(({ to }) => to)}::timestamptz[]) as d (date, since, until) order by d.date`
      .execute(db)
      .then(({ rows }) => rows),
    Promise.all(
      STATES.map(async (state) => {
        const row = await db
          .selectFrom('inscripciones')
          .select('created_at')
          .where('edicion', '=', edition)
          .where('estado', '=', state)
          .orderBy('created_at')
          .orderBy('id')
          .limit(1)
          .executeTakeFirst()
        return [state, row?.created_at] as const
      }),
    ),
  ])
  return { newCount, perDay, oldestAt: Object.fromEntries(oldestByState.filter(([, at]) => at !== undefined)) }
}
