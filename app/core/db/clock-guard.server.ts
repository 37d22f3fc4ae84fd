import { sql } from 'kysely'
import { DAY_MS } from '#app/core/time/durations.ts'
import type { Database } from './database.server.ts'

/** For this long after a start no jump back is stored, and `mayDeleteExpired` is false: an operator may yet correct the clock. */
const STARTUP_GRACE_MS = 60 * 60_000
/**
 * One check adds at most this much to the running time. While the site runs, checks are a minute apart, so a longer step is a
 * jump of the clock, or time in which no site ran.
 */
const MAX_STEP_MS = 2 * 60_000

/** SQL for the site's total running time in milliseconds, without jumps of the clock. */
export const elapsedMsSql = sql<number>`(select r.corrido_ms from reloj_visto r)`

/** The machine's clock beside the two clocks of the database: the stored one and the server's own. */
export interface ClockReading {
  machineNow: Date
  /** Machine time that was last stored, by a check or by a confirmation. */
  storedAt: Date
  /** The database server's clock, which with an embedded database is the machine's own. */
  databaseTime: Date
  /**
   * Whether the machine's clock is more than a day ahead of the stored moment or of the database's clock. If so, nothing may be
   * deleted because it has expired.
   */
  isAhead: boolean
}

/**
 * Compares the machine's clock with the stored moment, and stores the machine's time, unless it is more than a day ahead of the
 * stored moment or of the database's clock. A jump back of more than a day is stored only after the process has run for an hour.
 * Each stored moment adds the time since the one before to the running time, at most MAX_STEP_MS.
 * @param uptimeMs time since the process began, by a monotonic clock
 */
export async function checkClock(
  db: Database,
  machineNow = new Date(),
  uptimeMs = performance.now(),
): Promise<ClockReading> {
  await sql`
    update reloj_visto set visto_at = ${machineNow}, corrido_ms = corrido_ms
      + least(greatest(extract(epoch from ${machineNow}::timestamptz - visto_at) * 1000, 0), ${MAX_STEP_MS})::bigint
    where ${machineNow}::timestamptz <= visto_at + interval '1 day'
      and ${machineNow}::timestamptz <= clock_timestamp() + interval '1 day'
      and (${machineNow}::timestamptz >= visto_at - interval '1 day' or ${uptimeMs >= STARTUP_GRACE_MS})`.execute(db)
  return readClock(db, machineNow)
}

/** Compares the clocks like `checkClock`, but stores nothing. */
export async function readClock(db: Database, machineNow = new Date()): Promise<ClockReading> {
  const { rows } = await sql<{ visto_at: Date; base: Date }>`
    select visto_at, clock_timestamp() as base from reloj_visto`.execute(db)
  const { visto_at: storedAt, base: databaseTime } = rows[0]!
  return {
    machineNow,
    storedAt,
    databaseTime,
    isAhead: machineNow.getTime() > Math.min(+storedAt, +databaseTime) + DAY_MS,
  }
}

/**
 * Stores the machine's time after an organiser has confirmed it.
 * @returns false if the machine's clock is more than a day ahead of the database server's, which a confirmation does not change
 */
export async function confirmClock(db: Database, machineNow = new Date()): Promise<boolean> {
  if (+machineNow > +(await readClock(db, machineNow)).databaseTime + DAY_MS) return false
  await sql`update reloj_visto set visto_at = ${machineNow}`.execute(db)
  return true
}

/**
 * Returns whether expired entries and voters' accounts may be deleted: not in the first hour after a start, nor while the machine's
 * clock is ahead.
 * @param uptimeMs time since the process began
 */
export const mayDeleteExpired = ({ isAhead }: ClockReading, uptimeMs: number): boolean =>
  !isAhead && uptimeMs >= STARTUP_GRACE_MS
