import { sql } from 'kysely'
import { DAY_MS } from '#app/core/time/mexico-dates.ts'
import type { Database } from './database.server.ts'

/** For this long after a start nothing is deleted by time, since a wrong clock may still be set right. */
const STARTUP_GRACE_MS = 60 * 60_000
/**
 * One check adds at most this much to the elapsed time. Checks are a minute apart while the site runs; a longer step is a jump of
 * the clock.
 */
const MAX_STEP_MS = 2 * 60_000

/** This SQL expression gives the milliseconds that the site has seen pass, without jumps of the clock. */
export const ELAPSED_MS = sql<number>`(select r.corrido_ms from reloj_visto r)`

/** A reading compares the machine's clock with the database. */
export interface ClockReading {
  machineTime: Date
  /** The last moment stored in the database. */
  seenAt: Date
  /** The database server's clock; with an embedded database it is the machine's own. */
  databaseTime: Date
  /** The machine's clock is more than a day ahead of the stored moment or of the database's clock: nothing may be deleted. */
  isAhead: boolean
}

/**
 * Compares the machine's clock with the last stored moment, and stores the new one. A jump ahead of more than a day is not
 * stored: nothing is deleted by time until the clock is set right or an organiser confirms it. A jump back of more than a day
 * is stored only after the process has run for an hour. The time that really passed is summed up, MAX_STEP_MS per check at
 * most, so that jumps do not count.
 * @param upMs milliseconds since the process began, by a monotonic clock
 */
export async function checkClock(
  db: Database,
  machineTime = new Date(),
  upMs = performance.now(),
): Promise<ClockReading> {
  await sql`
    update reloj_visto set visto_at = ${machineTime}, corrido_ms = corrido_ms
      + least(greatest(extract(epoch from ${machineTime}::timestamptz - visto_at) * 1000, 0), ${MAX_STEP_MS})::bigint
    where ${machineTime}::timestamptz <= visto_at + interval '1 day'
      and ${machineTime}::timestamptz <= clock_timestamp() + interval '1 day'
      and (${machineTime}::timestamptz >= visto_at - interval '1 day' or ${upMs >= STARTUP_GRACE_MS})`.execute(db)
  return readClock(db, machineTime)
}

/** Compares the clocks like `checkClock`, but stores nothing. */
export async function readClock(db: Database, machineTime = new Date()): Promise<ClockReading> {
  const { rows } = await sql<{ visto_at: Date; base: Date }>`
    select visto_at, clock_timestamp() as base from reloj_visto`.execute(db)
  const { visto_at: seenAt, base: databaseTime } = rows[0]!
  return {
    machineTime,
    seenAt,
    databaseTime,
    isAhead: machineTime.getTime() > Math.min(+seenAt, +databaseTime) + DAY_MS,
  }
}

/**
 * Stores the machine's time after an organiser has confirmed it.
 * @returns false when the database server's clock is the one that lags: confirming would change nothing
 */
export async function confirmClock(db: Database, machineTime = new Date()): Promise<boolean> {
  if (+machineTime > +(await readClock(db, machineTime)).databaseTime + DAY_MS) return false
  await sql`update reloj_visto set visto_at = ${machineTime}`.execute(db)
  return true
}

/**
 * Returns whether deletions by time are allowed: not in the first hour after a start, and not while the machine's clock is ahead.
 * @param upMs milliseconds since the process began
 */
export const mayDeleteByTime = ({ isAhead }: ClockReading, upMs: number): boolean =>
  !isAhead && upMs >= STARTUP_GRACE_MS
