import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { type Election, readRules } from '#app/voting/election/data.server.ts'
import type { Rules } from '#app/voting/election/origin-rules.ts'
import { SPAN_MS, spanOf } from '#app/voting/election/rules.ts'

const FRESH_MS = 2_000

export type Origin = readonly [clase: 'red' | 'bloque' | 'dominio', origen: string]

export interface Origins {
  /**
   * Counts a vote before it is written, so that a thousand simultaneous votes count as a thousand.
   * @returns a function that takes a refused vote out of the count again
   */
  count(now: Date, origins: readonly Origin[]): () => void
  /**
   * Tells which origins have unusually many votes, and by which rules. Votes of other processes are up to two seconds old,
   * votes of this process current; only the first call waits for the database.
   */
  look(election: Election, now: Date): Promise<View>
}

interface View {
  rules: Rules
  /** Returns an origin's votes as a multiple of the usual number; 0 up to the usual number. */
  excess(origin: Origin): number
}

/** Returns the usual number of votes of one origin within the last spans. */
const usualOf = (rules: Rules): Record<Origin[0], number> => ({
  red: rules.rafagaPorRed,
  bloque: rules.rafagaPorBloque,
  dominio: rules.trabajoPorDominio,
})

/** Creates the counter of one process that knows which origins current votes come from. */
export function createOrigins(db: Database): Origins {
  /**
   * The map has this process's votes by span and origin. The sums come seconds late, and a program could cast many votes
   * meanwhile.
   */
  const ownVotes = new Map<number, Map<string, number>>()
  /** The variable has the rules, and the votes over all processes as a multiple of the usual number, by kind and origin. */
  let siteTraffic: { rules: Rules; excess: Map<string, number> } | undefined
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  return {
    count(now, origins) {
      const span = spanOf(now).getTime()
      for (const old of ownVotes.keys()) if (old < span - SPAN_MS) ownVotes.delete(old)
      const votes = ownVotes.get(span) ?? new Map<string, number>()
      ownVotes.set(span, votes)
      const add = (more: number) => {
        for (const [kind, origin] of origins) {
          const key = `${kind} ${origin}`
          votes.set(key, (votes.get(key) ?? 0) + more)
        }
      }
      add(1)
      return () => add(-1)
    },
    async look(election, now) {
      if (performance.now() - readMs > FRESH_MS && !reading) {
        reading = read(db, election, now)
          .then((found) => {
            siteTraffic = found
          })
          // While the database does not answer, the vote itself fails anyway; the last known excess holds.
          .catch(() => {})
          .finally(() => {
            readMs = performance.now()
            reading = undefined
          })
      }
      if (!siteTraffic) await reading
      const { rules, excess } = siteTraffic ?? { rules: election.reglas, excess: new Map<string, number>() }
      const since = spanOf(now).getTime() - SPAN_MS
      const usual = usualOf(rules)
      return {
        rules,
        excess([kind, origin]) {
          const key = `${kind} ${origin}`
          let count = 0
          for (const [span, votes] of ownVotes) if (span >= since) count += votes.get(key) ?? 0
          // The vote in question is not counted yet.
          const ownExcess = count >= usual[kind] ? (count + 1) / usual[kind] : 0
          return Math.max(excess.get(key) ?? 0, ownExcess)
        },
      }
    },
  }
}

/** Reads the origins beyond the usual number of votes: bursts of the last spans, and totals of the edition. */
async function read(db: Database, election: Election, now: Date) {
  const { edicion } = election
  const { rules } = await readRules(db, election)
  const since = new Date(spanOf(now).getTime() - SPAN_MS)
  const { rows } = await sql<{ clase: string; origen: string; excess: number }>`
    select clase, origen, sum(votos)::float8 / u.usual as excess
      from votos_por_origen
      join (values ('red', ${rules.rafagaPorRed}::int), ('bloque', ${rules.rafagaPorBloque}::int)) as u (clase, usual)
        using (clase)
      where edicion = ${edicion} and tramo >= ${since}
      group by clase, origen, u.usual having sum(votos) > u.usual
    union all
    select clase, origen, votos::float8 / u.usual
      from origenes
      join (values ('red', ${rules.trabajoPorRed}::int), ('dominio', ${rules.trabajoPorDominio}::int)) as u (clase, usual)
        using (clase)
      where edicion = ${edicion} and votos > u.usual`.execute(db)
  const excess = new Map<string, number>()
  for (const { clase, origen, excess: rowExcess } of rows) {
    const key = `${clase} ${origen}`
    excess.set(key, Math.max(excess.get(key) ?? 0, rowExcess))
  }
  return { rules, excess }
}
