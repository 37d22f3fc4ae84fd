import type { Database } from '#app/platform/database.server.ts'
import { INUSUAL, TRAMO_MS, tramoDe } from './rules.ts'

const FRESH_MS = 2_000

export type Origen = readonly [clase: keyof typeof INUSUAL, origen: string]

export interface Origenes {
  /**
   * Counts a vote that is on its way into the table, before anything is waited for: a thousand at once are a thousand.
   * @returns takes it back, where it was none
   */
  count(now: Date, origenes: readonly Origen[]): () => void
  /**
   * Where unusually many votes come from at this moment: over all processes as of two seconds ago, in this one as of now;
   * a vote waits for nothing but the first look.
   * @returns of a class and an origin, its votes in relation to what is usual; 0 where they are usual
   */
  excessNow(edicion: number, now: Date): Promise<(origen: Origen) => number>
}

/** What one process knows of where votes come from. */
export function createOrigenes(db: Database): Origenes {
  /** This process's own votes by span and origin: what the sums say comes seconds late, and a program needs no longer. */
  const own = new Map<number, Map<string, number>>()
  /** Of a class and an origin, how many times what is usual, over all processes. */
  let everywhere = new Map<string, number>()
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  return {
    count(now, origenes) {
      const tramo = tramoDe(now).getTime()
      for (const old of own.keys()) if (old < tramo - TRAMO_MS) own.delete(old)
      const votes = own.get(tramo) ?? new Map<string, number>()
      own.set(tramo, votes)
      const add = (more: number) => {
        for (const [clase, origen] of origenes) {
          const key = `${clase} ${origen}`
          votes.set(key, (votes.get(key) ?? 0) + more)
        }
      }
      add(1)
      return () => add(-1)
    },
    async excessNow(edicion, now) {
      if (performance.now() - readMs > FRESH_MS && !reading) {
        reading = read(db, edicion, now)
          .then((excess) => {
            everywhere = excess
          })
          // A database that does not answer refuses the vote itself.
          .catch(() => {})
          .finally(() => {
            readMs = performance.now()
            reading = undefined
          })
      }
      if (readMs === Number.NEGATIVE_INFINITY) await reading
      const since = tramoDe(now).getTime() - TRAMO_MS
      return ([clase, origen]) => {
        const key = `${clase} ${origen}`
        let count = 0
        for (const [tramo, votes] of own) if (tramo >= since) count += votes.get(key) ?? 0
        // The next one is the first beyond what is usual.
        const ours = count >= INUSUAL[clase] ? (count + 1) / INUSUAL[clase] : 0
        return Math.max(everywhere.get(key) ?? 0, ours)
      }
    },
  }
}

async function read(db: Database, edicion: number, now: Date): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('votos_por_origen')
    .select(['clase', 'origen'])
    .select(({ fn }) => fn.sum<number>('votos').as('votos'))
    .where('edicion', '=', edicion)
    .where('tramo', '>=', new Date(tramoDe(now).getTime() - TRAMO_MS))
    .groupBy(['clase', 'origen'])
    .having(({ fn }) => fn.sum<number>('votos'), '>', Math.min(INUSUAL.red, INUSUAL.dominio))
    .execute()
  return new Map(
    rows
      .map(({ clase, origen, votos }) => [`${clase} ${origen}`, votos / INUSUAL[clase]] as const)
      .filter(([, excess]) => excess > 1),
  )
}
