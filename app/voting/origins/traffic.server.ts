import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { type Eleccion, readReglas } from '#app/voting/election/data.server.ts'
import type { Reglas } from '#app/voting/election/origin-rules.ts'
import { TRAMO_MS, tramoDe } from '#app/voting/election/rules.ts'

const FRESH_MS = 2_000

export type Origen = readonly [clase: 'red' | 'bloque' | 'dominio', origen: string]

export interface Origenes {
  /**
   * Counts a vote at once, before it is written, so that a thousand votes at once count as a thousand.
   * @returns a function that takes the vote out of the count again, where it was not accepted
   */
  count(now: Date, origenes: readonly Origen[]): () => void
  /**
   * Where unusually many votes come from now, and by which rules. It knows the other processes' votes of two seconds
   * ago and this one's of this moment; only the first call waits for the database.
   */
  look(eleccion: Eleccion, now: Date): Promise<Vista>
}

interface Vista {
  reglas: Reglas
  /** An origin's votes, as a multiple of the usual; 0 where they are usual. */
  excess(origen: Origen): number
}

/** Votes of one origin within some minutes that are usual. */
const usualOf = (reglas: Reglas): Record<Origen[0], number> => ({
  red: reglas.rafagaPorRed,
  bloque: reglas.rafagaPorBloque,
  dominio: reglas.trabajoPorDominio,
})

/** What one process knows of where votes come from. */
export function createOrigenes(db: Database): Origenes {
  /**
   * This process's own votes by span and origin. The sums come seconds late, and a program could cast many votes
   * meanwhile.
   */
  const own = new Map<number, Map<string, number>>()
  /** The rules, and class and origin → votes over all processes, as a multiple of the usual. */
  let everywhere: { reglas: Reglas; excess: Map<string, number> } | undefined
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
    async look(eleccion, now) {
      if (performance.now() - readMs > FRESH_MS && !reading) {
        reading = read(db, eleccion, now)
          .then((found) => {
            everywhere = found
          })
          // While the database does not answer, the vote itself fails anyway.
          .catch(() => {})
          .finally(() => {
            readMs = performance.now()
            reading = undefined
          })
      }
      if (!everywhere) await reading
      const { reglas, excess } = everywhere ?? { reglas: eleccion.reglas, excess: new Map<string, number>() }
      const since = tramoDe(now).getTime() - TRAMO_MS
      const usual = usualOf(reglas)
      return {
        reglas,
        excess([clase, origen]) {
          const key = `${clase} ${origen}`
          let count = 0
          for (const [tramo, votes] of own) if (tramo >= since) count += votes.get(key) ?? 0
          // The vote that is asked about is not counted yet.
          const ours = count >= usual[clase] ? (count + 1) / usual[clase] : 0
          return Math.max(excess.get(key) ?? 0, ours)
        },
      }
    },
  }
}

/** Origins beyond what is usual: bursts of the last spans, and totals of the edition. */
async function read(db: Database, eleccion: Eleccion, now: Date) {
  const { edicion } = eleccion
  const { reglas } = await readReglas(db, eleccion)
  const since = new Date(tramoDe(now).getTime() - TRAMO_MS)
  const { rows } = await sql<{ clase: string; origen: string; exceso: number }>`
    select clase, origen, sum(votos)::float8 / u.usual as exceso
      from votos_por_origen
      join (values ('red', ${reglas.rafagaPorRed}::int), ('bloque', ${reglas.rafagaPorBloque}::int)) as u (clase, usual)
        using (clase)
      where edicion = ${edicion} and tramo >= ${since}
      group by clase, origen, u.usual having sum(votos) > u.usual
    union all
    select clase, origen, votos::float8 / u.usual
      from origenes
      join (values ('red', ${reglas.trabajoPorRed}::int), ('dominio', ${reglas.trabajoPorDominio}::int)) as u (clase, usual)
        using (clase)
      where edicion = ${edicion} and votos > u.usual`.execute(db)
  const excess = new Map<string, number>()
  for (const { clase, origen, exceso } of rows) {
    const key = `${clase} ${origen}`
    excess.set(key, Math.max(excess.get(key) ?? 0, exceso))
  }
  return { reglas, excess }
}
