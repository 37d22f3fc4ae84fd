import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { type Election, readRules } from '#app/voting/election/data.server.ts'
import type { OriginRules } from '#app/voting/election/origin-rules.ts'
import { SPAN_MS, spanOf } from '#app/voting/election/rules.ts'

/** A vote that comes this long after the last reading has the traffic of all processes read again. */
const MAX_TRAFFIC_AGE_MS = 2_000

export type Origin = readonly [clase: 'red' | 'bloque' | 'dominio', origen: string]

export interface OriginCounter {
  /**
   * Counts a vote before it is stored, so that simultaneous votes are counted for each other.
   * @returns a function that takes the count back, for a refused vote
   */
  count(now: Date, origins: readonly Origin[]): () => void
  /**
   * Returns the rules in force, and how far origins exceed their usual number of votes. Votes of this process count at once,
   * other processes' votes some seconds after their sealing. Only calls before the first successful reading wait for the database.
   */
  readTraffic(election: Election, now: Date): Promise<Traffic>
}

interface Traffic {
  rules: OriginRules
  /** Returns an origin's votes as a multiple of the usual number, or 0 if they do not exceed it. */
  excessOf(origin: Origin): number
}

/** Returns the usual number of votes of one origin within two spans, by kind of origin. */
const usualVotesOf = (rules: OriginRules): Record<Origin[0], number> => ({
  red: rules.rafagaPorRed,
  bloque: rules.rafagaPorBloque,
  dominio: rules.trabajoPorDominio,
})

export function createOriginCounter(db: Database): OriginCounter {
  /**
   * This process's votes by span and origin. The database's sums come seconds later, by when a program could have cast many votes.
   */
  const ownVotes = new Map<number, Map<string, number>>()
  /** The traffic of all processes as last read: the rules, and the excess by kind and origin. */
  let siteTraffic: { rules: OriginRules; excess: Map<string, number> } | undefined
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
          .then((traffic) => {
            siteTraffic = traffic
          })
          // The last known traffic stays in force. Without the database, votes fail anyway.
          .catch(() => {})
          .finally(() => {
            lastReadMs = performance.now()
            pendingRead = undefined
          })
      }
      if (!siteTraffic) await pendingRead
      const { rules, excess } = siteTraffic ?? { rules: election.reglas, excess: new Map<string, number>() }
      const since = spanOf(now).getTime() - SPAN_MS
      const usualVotes = usualVotesOf(rules)
      return {
        rules,
        excessOf([kind, origin]) {
          const key = `${kind} ${origin}`
          let ownCount = 0
          for (const [span, votes] of ownVotes) if (span >= since) ownCount += votes.get(key) ?? 0
          // The vote that is being cast is not counted yet: hence `+ 1`.
          const ownExcess = ownCount >= usualVotes[kind] ? (ownCount + 1) / usualVotes[kind] : 0
          return Math.max(excess.get(key) ?? 0, ownExcess)
        },
      }
    },
  }
}

/** Reads how far origins exceed their usual number of votes, in the last two spans and in the whole edition. */
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
