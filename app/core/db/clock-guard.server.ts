import { sql } from 'kysely'
import type { Database } from './database.server.ts'

const DAY_MS = 86_400_000
/** For so long after a start nothing is deleted by time, and a clock that lags may still be set right by itself. */
const STARTUP_GRACE_MS = 60 * 60_000
/** What passes between two looks at most, which are a minute apart while the site runs: more is a leap of the clock. */
const MAX_STEP_MS = 2 * 60_000

/** How long, in milliseconds, the site has really seen pass: part of other questions. */
export const ELAPSED_MS = sql<number>`(select r.corrido_ms from reloj_visto r)`

/** How the machine's clock stands to what the database knows. */
export interface ClockReading {
  /** The machine's clock. */
  maquina: Date
  /** The last moment that the database saw before this one, or this one. */
  vistoAt: Date
  /** The clock of the database's own machine; with an embedded database the same as `maquina`. */
  base: Date
  /** It runs ahead of one of them by more than a day: nothing may be deleted by it. */
  adelantado: boolean
}

/**
 * Holds the machine's clock against the last moment that the database saw, and lets that follow it. A leap ahead of more
 * than a day is not followed: until the clock is set right, or an organiser says that it is right, whatever goes by time
 * stays. Nor is one back, before the machine has had an hour to be told the time. How long the site has really seen pass is
 * counted beside it, look by look: leaps that are followed add nothing to that.
 * @param upMs since the process began, by a clock that nobody sets
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

/** The same without following. */
export async function readClock(db: Database, machineTime = new Date()): Promise<ClockReading> {
  const { rows } = await sql<{ visto_at: Date; base: Date }>`
    select visto_at, clock_timestamp() as base from reloj_visto`.execute(db)
  const { visto_at: seenAt, base } = rows[0]!
  return {
    maquina: machineTime,
    vistoAt: seenAt,
    base,
    adelantado: machineTime.getTime() > Math.min(+seenAt, +base) + DAY_MS,
  }
}

/**
 * Somebody looked at the machine's clock and says that it is right.
 * @returns false where that changes nothing, since it is the database server's own clock that lags
 */
export async function confirmClock(db: Database, machineTime = new Date()): Promise<boolean> {
  if (+machineTime > +(await readClock(db, machineTime)).base + DAY_MS) return false
  await sql`update reloj_visto set visto_at = ${machineTime}`.execute(db)
  return true
}

/** Whether what goes by time may go now: not in the first hour, and not by a clock that runs ahead. */
export const mayDeleteByTime = ({ adelantado }: ClockReading, upMs: number): boolean =>
  !adelantado && upMs >= STARTUP_GRACE_MS
