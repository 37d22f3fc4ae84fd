import type { Database } from '#app/platform/database.server.ts'
import { INUSUAL, TRAMO_MS, tramoDe } from './rules.ts'

const FRESH_MS = 2_000

export type Origen = readonly [clase: keyof typeof INUSUAL, origen: string]

interface Known {
  /** This process's own votes by span and origin: what the sums say comes seconds late, and a program needs no longer. */
  own: Map<number, Map<string, number>>
  /** Of a class and an origin, how many times what is usual. */
  excess: Map<string, number>
  readMs: number
  reading: Promise<void> | undefined
}
const known = new WeakMap<Database, Known>()

function knownTo(db: Database): Known {
  const state = known.get(db) ?? {
    own: new Map(),
    excess: new Map(),
    readMs: Number.NEGATIVE_INFINITY,
    reading: undefined,
  }
  known.set(db, state)
  return state
}

/**
 * Counts a vote that is on its way into the table, before anything is waited for: a thousand at once are a thousand.
 * @returns takes it back, where it was none
 */
export function countVote(db: Database, now: Date, origenes: readonly Origen[]): () => void {
  const { own } = knownTo(db)
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
}

/**
 * Where unusually many votes come from at this moment: over all processes as of two seconds ago, in this one as of now;
 * a vote waits for nothing but the first look.
 * @returns of a class and an origin, its votes in relation to what is usual; 0 where they are usual
 */
export async function excessNow(db: Database, edicion: number, now: Date) {
  const state = knownTo(db)
  if (performance.now() - state.readMs > FRESH_MS && !state.reading) {
    state.reading = read(db, edicion, now)
      .then((excess) => {
        state.excess = excess
      })
      // A database that does not answer refuses the vote itself.
      .catch(() => {})
      .finally(() => {
        state.readMs = performance.now()
        state.reading = undefined
      })
  }
  if (state.readMs === Number.NEGATIVE_INFINITY) await state.reading
  const since = tramoDe(now).getTime() - TRAMO_MS
  return ([clase, origen]: Origen): number => {
    const key = `${clase} ${origen}`
    let own = 0
    for (const [tramo, votes] of state.own) if (tramo >= since) own += votes.get(key) ?? 0
    // The next one is the first beyond what is usual.
    const ours = own >= INUSUAL[clase] ? (own + 1) / INUSUAL[clase] : 0
    return Math.max(state.excess.get(key) ?? 0, ours)
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
