import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import type { Database } from './database.server.ts'

/**
 * A lease lasts this many milliseconds without renewal, and other processes wait this long for a killed one. Holders renew a
 * lease every quarter of that time.
 */
const LIFE_MS = 15_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400
/** A process waits this many milliseconds for a lease; a browser waits no longer for an answer. */
const PATIENCE_MS = 40_000

/** A lease makes work exclusive across all processes of a site. */
export interface Leases {
  /** Waits for the lease, then runs the work. @throws the error of `busy` when the wait takes too long */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Runs the work if the lease is free. @returns undefined if the lease is not free */
  ifFree<T>(name: string, work: () => Promise<T>): Promise<{ result: T } | undefined>
}

/**
 * Runs work of the same name one piece at a time, across processes. A lease is a row with an expiry that its holder keeps
 * postponing: it needs no connection while the work lasts, holds behind a connection pooler, and expires by itself when its
 * process is killed or hangs. A holder that wakes up after its expiry may not be alone any more, so work that must not happen
 * twice has to check for that where it commits.
 */
export function createLeases(db: Database, busy: () => Error): Leases {
  const localQueue = createKeyedQueue()
  const expiry = sql<Date>`now() + make_interval(secs => ${LIFE_MS / 1000})`

  async function takeLease(name: string, holder: string): Promise<boolean> {
    const { rows } = await sql`
      insert into turnos (que, quien, hasta) values (${name}, ${holder}, ${expiry})
      on conflict (que) do update set quien = excluded.quien, hasta = excluded.hasta where turnos.hasta < now()
      returning que`.execute(db)
    return rows.length > 0
  }

  async function withLease<T>(name: string, holder: string, work: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => {
      db.updateTable('turnos')
        .set({ hasta: expiry })
        .where('que', '=', name)
        .where('quien', '=', holder)
        .execute()
        // A failed renewal is ignored, since the next may succeed before the lease expires.
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
        .where('quien', '=', holder)
        .execute()
        .catch(() => {})
    }
  }

  return {
    // One waiter per process polls the database; the others wait behind it in memory.
    exclusively: (name, work) =>
      localQueue(name, async () => {
        const holder = randomUUID()
        const until = performance.now() + PATIENCE_MS
        for (
          let pause = FIRST_PAUSE_MS;
          !(await takeLease(name, holder));
          pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
        ) {
          if (performance.now() > until) throw busy()
          await sleep(pause)
        }
        return withLease(name, holder, work)
      }),

    async ifFree(name, work) {
      const holder = randomUUID()
      if (!(await takeLease(name, holder))) return undefined
      return { result: await withLease(name, holder, work) }
    },
  }
}
