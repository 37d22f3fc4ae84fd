import type { Database } from '#app/platform/database.server.ts'
import { INUSUAL, TRAMO_MS, tramoDe } from './rules.ts'

const FRESH_MS = 2_000

interface Known {
  /** Of a class and an origin, how many times what is usual. */
  excess: Map<string, number>
  readMs: number
  reading: Promise<void> | undefined
}
const known = new WeakMap<Database, Known>()

/**
 * Where unusually many votes come from at this moment. Known to two seconds, over all processes; a vote waits for
 * nothing but the first look.
 * @returns of a class and an origin, its votes in relation to what is usual; 0 where they are usual
 */
export async function excessNow(db: Database, edicion: number, now: Date) {
  const state = known.get(db) ?? { excess: new Map(), readMs: Number.NEGATIVE_INFINITY, reading: undefined }
  known.set(db, state)
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
  return (clase: keyof typeof INUSUAL, origen: string) => state.excess.get(`${clase} ${origen}`) ?? 0
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
