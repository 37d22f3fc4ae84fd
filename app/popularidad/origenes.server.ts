import type { Database } from '#app/platform/database.server.ts'
import { INUSUAL, TRAMO_MS, tramoDe } from './rules.ts'

const FRESH_MS = 2_000

export type Origen = readonly [clase: keyof typeof INUSUAL, origen: string]

export interface Origenes {
  /**
   * Counts a vote at once, before it is written, so that a thousand votes at once count as a thousand.
   * @returns a function that takes the vote out of the count again, where it was not accepted
   */
  count(now: Date, origenes: readonly Origen[]): () => void
  /**
   * Where unusually many votes come from now. It knows the other processes' votes of two seconds ago and this one's of
   * this moment; only the first call waits for the database.
   * @returns a function from an origin to its votes, as a multiple of the usual; 0 where they are usual
   */
  excessNow(edicion: number, now: Date): Promise<(origen: Origen) => number>
}

/** What one process knows of where votes come from. */
export function createOrigenes(db: Database): Origenes {
  /**
   * This process's own votes by span and origin. The sums come seconds late, and a program could cast many votes
   * meanwhile.
   */
  const own = new Map<number, Map<string, number>>()
  /** Class and origin → votes over all processes, as a multiple of the usual. */
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
          // While the database does not answer, the vote itself fails anyway.
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
        // The vote that is asked about is not counted yet.
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
