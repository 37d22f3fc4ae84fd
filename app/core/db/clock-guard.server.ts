import { sql } from 'kysely'
import type { Database } from './database.server.ts'

const DAY_MS = 86_400_000
/** For so long after a start nothing is deleted by time, and a clock that lags may still be set right by itself. */
const QUIETO_MS = 60 * 60_000
/** What passes between two looks at most, which are a minute apart while the site runs: more is a leap of the clock. */
const PASO_MS = 2 * 60_000

/** How long, in milliseconds, the site has really seen pass: part of other questions. */
export const CORRIDO = sql<number>`(select r.corrido_ms from reloj_visto r)`

/** How the machine's clock stands to what the database knows. */
export interface RelojVisto {
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
export async function verReloj(db: Database, maquina = new Date(), upMs = performance.now()): Promise<RelojVisto> {
  await sql`
    update reloj_visto set visto_at = ${maquina}, corrido_ms = corrido_ms
      + least(greatest(extract(epoch from ${maquina}::timestamptz - visto_at) * 1000, 0), ${PASO_MS})::bigint
    where ${maquina}::timestamptz <= visto_at + interval '1 day'
      and ${maquina}::timestamptz <= clock_timestamp() + interval '1 day'
      and (${maquina}::timestamptz >= visto_at - interval '1 day' or ${upMs >= QUIETO_MS})`.execute(db)
  return readReloj(db, maquina)
}

/** The same without following. */
export async function readReloj(db: Database, maquina = new Date()): Promise<RelojVisto> {
  const { rows } = await sql<{ visto_at: Date; base: Date }>`
    select visto_at, clock_timestamp() as base from reloj_visto`.execute(db)
  const { visto_at: vistoAt, base } = rows[0]!
  return { maquina, vistoAt, base, adelantado: maquina.getTime() > Math.min(+vistoAt, +base) + DAY_MS }
}

/**
 * Somebody looked at the machine's clock and says that it is right.
 * @returns false where that changes nothing, since it is the database server's own clock that lags
 */
export async function confirmReloj(db: Database, maquina = new Date()): Promise<boolean> {
  if (+maquina > +(await readReloj(db, maquina)).base + DAY_MS) return false
  await sql`update reloj_visto set visto_at = ${maquina}`.execute(db)
  return true
}

/** Whether what goes by time may go now: not in the first hour, and not by a clock that runs ahead. */
export const mayDeleteByTime = ({ adelantado }: RelojVisto, upMs: number): boolean => !adelantado && upMs >= QUIETO_MS
