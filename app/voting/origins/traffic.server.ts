import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { type Election, readRules } from '#app/voting/election/data.server.ts'
import type { Rules } from '#app/voting/election/origin-rules.ts'
import { SPAN_MS, spanOf } from '#app/voting/election/rules.ts'

const MAX_TRAFFIC_AGE_MS = 2_000

export type Origin = readonly [clase: 'red' | 'bloque' | 'dominio', origen: string]

export interface OriginCounter {
  /**
   * Counts a vote before it is written, so that simultaneous votes see each other.
   * @returns a function that subtracts the vote again, for a refused vote
   */
  count(now: Date, origins: readonly Origin[]): () => void
  /**
   * Returns the rules in force, and how far an origin exceeds its usual number of votes. Votes of other processes are known with
   * a delay of two seconds, those of this process at once. Only the first call waits for the database.
   */
  readTraffic(election: Election, now: Date): Promise<Traffic>
}

interface Traffic {
  rules: Rules
  /** Returns an origin's votes as a multiple of the usual number; 0 if the usual number is not exceeded. */
  excess(origin: Origin): number
}

/** Returns the usual number of votes of one origin within two spans, by kind of origin. */
const usualOf = (rules: Rules): Record<Origin[0], number> => ({
  red: rules.rafagaPorRed,
  bloque: rules.rafagaPorBloque,
  dominio: rules.trabajoPorDominio,
})

/** Creates the counter of one process. */
export function createOriginCounter(db: Database): OriginCounter {
  /**
   * This process's votes by span and origin. The database's sums come seconds late, and a program could cast many votes
   * meanwhile.
   */
  const ownVotes = new Map<number, Map<string, number>>()
  /** The rules, and the excess over all processes by kind and origin, as last read. */
  let siteTraffic: { rules: Rules; excess: Map<string, number> } | undefined
  let lastReadMs = Number.NEGATIVE_INFINITY
  let pendingRead: Promise<void> | undefined

  return {
    count(now, origins) {
      const span = spanOf(now).getTime()
      for (const oldSpan of ownVotes.keys()) if (oldSpan < span - SPAN_MS) ownVotes.delete(oldSpan)
      const votes = ownVotes.get(span) ?? new Map<string, number>()
      ownVotes.set(span, votes)
      const add = (change: number) => {
        for (const [kind, origin] of origins) {
          const key = `${kind} ${origin}`
          votes.set(key, (votes.get(key) ?? 0) + change)
        }
      }
      add(1)
      return () => add(-1)
    },
    async readTraffic(election, now) {
      if (performance.now() - lastReadMs > MAX_TRAFFIC_AGE_MS && !pendingRead) {
        pendingRead = readSiteTraffic(db, election, now)
          .then((found) => {
            siteTraffic = found
          })
          // If the database does not answer, the vote fails anyway; until then the last known excess holds.
          .catch(() => {})
          .finally(() => {
            lastReadMs = performance.now()
            pendingRead = undefined
          })
      }
      if (!siteTraffic) await pendingRead
      const { rules, excess } = siteTraffic ?? { rules: election.reglas, excess: new Map<string, number>() }
      const since = spanOf(now).getTime() - SPAN_MS
      const usual = usualOf(rules)
      return {
        rules,
        excess([kind, origin]) {
          const key = `${kind} ${origin}`
          let count = 0
          for (const [span, votes] of ownVotes) if (span >= since) count += votes.get(key) ?? 0
          // `+ 1` for the vote that is being judged.
          const ownExcess = count >= usual[kind] ? (count + 1) / usual[kind] : 0
          return Math.max(excess.get(key) ?? 0, ownExcess)
        },
      }
    },
  }
}

/** Reads the origins beyond the usual number of votes: in the last two spans, and in the whole edition. */
async function readSiteTraffic(db: Database, election: Election, now: Date) {
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
