import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createKeyedQueue } from '#app/core/jobs/limiter.server.ts'
import type { Database } from './database.server.ts'

/**
 * How long a turn is kept without a word, in milliseconds: so long others wait for a process that was killed. Whoever
 * works says so three times as often.
 */
const LIFE_MS = 15_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400
/** A browser waits no longer for an answer. */
const PATIENCE_MS = 40_000

/** Turns over all processes of a site. */
export interface Leases {
  /** Runs work once nobody else has this in hand. @throws what `ocupado` says, where somebody keeps it for too long */
  enTurno<T>(que: string, work: () => Promise<T>): Promise<T>
  /** Runs work if nobody has this in hand just now. @returns undefined where somebody has */
  siEstaLibre<T>(que: string, work: () => Promise<T>): Promise<{ hecho: T } | undefined>
}

/**
 * Keeps work of the same name to one piece at a time, whichever process does it. A turn is a row with an end that whoever
 * works puts off, so that it costs no connection while the work takes seconds, holds behind a pooler, and runs out by
 * itself when its process is killed or stands still. Who wakes up after that finds another at work: what must not be done
 * twice has to say so by itself, where it commits.
 */
export function createLeases(db: Database, busy: () => Error): Leases {
  const here = createKeyedQueue()
  const end = sql<Date>`now() + make_interval(secs => ${LIFE_MS / 1000})`

  async function take(que: string, who: string): Promise<boolean> {
    const { rows } = await sql`
      insert into turnos (que, quien, hasta) values (${que}, ${who}, ${end})
      on conflict (que) do update set quien = excluded.quien, hasta = excluded.hasta where turnos.hasta < now()
      returning que`.execute(db)
    return rows.length > 0
  }

  async function withTurn<T>(que: string, who: string, work: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => {
      db.updateTable('turnos')
        .set({ hasta: end })
        .where('que', '=', que)
        .where('quien', '=', who)
        .execute()
        // The next one may get through.
        .catch(() => {})
    }, LIFE_MS / 4)
    renewal.unref()
    try {
      return await work()
    } finally {
      clearInterval(renewal)
      // What cannot be given back runs out.
      await db
        .deleteFrom('turnos')
        .where('que', '=', que)
        .where('quien', '=', who)
        .execute()
        .catch(() => {})
    }
  }

  return {
    // One of each process stands in line before the database, the others behind it.
    enTurno: (que, work) =>
      here(que, async () => {
        const who = randomUUID()
        const until = performance.now() + PATIENCE_MS
        for (let pause = FIRST_PAUSE_MS; !(await take(que, who)); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
          if (performance.now() > until) throw busy()
          await sleep(pause)
        }
        return withTurn(que, who, work)
      }),

    async siEstaLibre(que, work) {
      const who = randomUUID()
      if (!(await take(que, who))) return undefined
      return { hecho: await withTurn(que, who, work) }
    },
  }
}
