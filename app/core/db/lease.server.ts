import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createKeyedQueue } from '#app/core/concurrency/limiter.server.ts'
import type { Database } from './database.server.ts'

/** A lease expires this long after its last renewal, so other processes wait this long for a killed holder. */
const LEASE_MS = 15_000
/** Pause after the first failed attempt to take a lease. Each further pause doubles, up to MAX_PAUSE_MS. */
const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 400
/** A process waits this long for another process's lease, less than the minute after which a form's script asks again. */
const MAX_WAIT_MS = 40_000

/** Makes work exclusive across all processes of a site. */
export interface Leases {
  /**
   * Waits for the lease, then runs the work.
   * @throws the busy error if another process has the lease MAX_WAIT_MS after the call; waiting behind work of this process has no
   * limit
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Runs the work if the lease is free. @returns undefined if another holder has the lease */
  ifFree<T>(name: string, work: () => Promise<T>): Promise<{ result: T } | undefined>
}

/**
 * Creates leases. A lease is a row with an expiry that its holder keeps postponing. It needs no connection while the work lasts,
 * holds behind a connection pooler, and expires by itself if its process is killed or hangs. A holder that hangs beyond the
 * expiry may not be alone any more, so work that must not happen twice has to check this when it commits.
 * @param busyError makes the error for work that waits too long
 */
export function createLeases(db: Database, busyError: () => Error): Leases {
  const localQueue = createKeyedQueue()
  const expirySql = sql<Date>`now() + make_interval(secs => ${LEASE_MS / 1000})`

  async function takeLease(name: string, holder: string): Promise<boolean> {
    const { rows } = await sql`
      insert into turnos (que, quien, hasta) values (${name}, ${holder}, ${expirySql})
      on conflict (que) do update set quien = excluded.quien, hasta = excluded.hasta where turnos.hasta < now()
      returning que`.execute(db)
    return rows.length > 0
  }

  async function withLease<T>(name: string, holder: string, work: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => {
      db.updateTable('turnos')
        .set({ hasta: expirySql })
        .where('que', '=', name)
        .where('quien', '=', holder)
        .execute()
        // The next renewal may succeed before the lease expires.
        .catch(() => {})
    }, LEASE_MS / 4)
    renewal.unref()
    try {
      return await work()
    } finally {
      clearInterval(renewal)
      // A lease that cannot be deleted expires by itself.
      await db
        .deleteFrom('turnos')
        .where('que', '=', name)
        .where('quien', '=', holder)
        .execute()
        .catch(() => {})
    }
  }

  return {
    // Of each process, one waiter for a name polls the database; the others for that name wait behind it in memory.
    exclusively(name, work) {
      const deadlineMs = performance.now() + MAX_WAIT_MS
      return localQueue(name, async () => {
        const holder = randomUUID()
        for (
          let pauseMs = FIRST_PAUSE_MS;
          !(await takeLease(name, holder));
          pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
        ) {
          if (performance.now() > deadlineMs) throw busyError()
          await sleep(pauseMs)
        }
        return withLease(name, holder, work)
      })
    },

    async ifFree(name, work) {
      const holder = randomUUID()
      if (!(await takeLease(name, holder))) return undefined
      return { result: await withLease(name, holder, work) }
    },
  }
}
