import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import type { Database } from './database.server.ts'

/**
 * How long a lease lasts without renewal, in milliseconds: other processes wait this long for a killed one. Holders renew it
 * every quarter of that time.
 */
const LIFE_MS = 15_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400
/** Longest wait for a lease, in milliseconds: a browser waits no longer for an answer. */
const PATIENCE_MS = 40_000

/** Leases: exclusive work across all processes of a site. */
export interface Leases {
  /** Waits for the lease, then runs work. @throws the error of `busy` when the wait takes too long */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Runs work if the lease is free. @returns undefined if it is not */
  ifFree<T>(name: string, work: () => Promise<T>): Promise<{ result: T } | undefined>
}

/**
 * Runs work of the same name one piece at a time, across processes. A lease is a row with an expiry that its holder keeps
 * postponing: it needs no connection while the work lasts, holds behind a connection pooler, and expires by itself when its
 * process is killed or hangs. A holder that wakes up after its expiry may not be alone any more, so work that must not happen
 * twice has to check for that where it commits.
 */
export function createLeases(db: Database, busy: () => Error): Leases {
  const here = createKeyedQueue()
  const end = sql<Date>`now() + make_interval(secs => ${LIFE_MS / 1000})`

  async function take(name: string, who: string): Promise<boolean> {
    const { rows } = await sql`
      insert into turnos (que, quien, hasta) values (${name}, ${who}, ${end})
      on conflict (que) do update set quien = excluded.quien, hasta = excluded.hasta where turnos.hasta < now()
      returning que`.execute(db)
    return rows.length > 0
  }

  async function withTurn<T>(name: string, who: string, work: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => {
      db.updateTable('turnos')
        .set({ hasta: end })
        .where('que', '=', name)
        .where('quien', '=', who)
        .execute()
        // The next renewal may succeed.
        .catch(() => {})
    }, LIFE_MS / 4)
    renewal.unref()
    try {
      return await work()
    } finally {
      clearInterval(renewal)
      // A lease that cannot be given back expires.
      await db
        .deleteFrom('turnos')
        .where('que', '=', name)
        .where('quien', '=', who)
        .execute()
        .catch(() => {})
    }
  }

  return {
    // One waiter per process polls the database; the others wait behind it in memory.
    exclusively: (name, work) =>
      here(name, async () => {
        const who = randomUUID()
        const until = performance.now() + PATIENCE_MS
        for (let pause = FIRST_PAUSE_MS; !(await take(name, who)); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
          if (performance.now() > until) throw busy()
          await sleep(pause)
        }
        return withTurn(name, who, work)
      }),

    async ifFree(name, work) {
      const who = randomUUID()
      if (!(await take(name, who))) return undefined
      return { result: await withTurn(name, who, work) }
    },
  }
}
