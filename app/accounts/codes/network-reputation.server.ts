import { isProven, type Neighbourhood, UNUSED_LEAK_PER_SECOND, USED_LEAK_PER_SECOND } from '#app/accounts/rules.ts'
import { addLevels, readLevels } from '#app/accounts/throttling/rate-limit.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'

/** What a request for a code is judged by. */
interface RequestDetails {
  correo: string
  /** Keyed hash of the network's neighbourhood. */
  vecindad: string
}

interface Reputation {
  vecindad: Neighbourhood
  /** Whether no code has been used yet where this one is asked for, or where it goes. */
  esAjeno: boolean
}

/**
 * Where codes are used that were asked for: neighbourhoods, and domains of mailboxes. Codes for strangers leave both
 * without a used one.
 * @param counterTraceOf names a count
 */
export function createNetworkReputation(counterTraceOf: (...parts: string[]) => string) {
  const levelOf = (neighbourhood: string) => counterTraceOf('sin-usar', neighbourhood)
  const usedLevelOf = (level: string) => counterTraceOf('usados', level)
  const domainLevelOf = (email: string) => counterTraceOf('dominio', mailboxOf(email).split('@').at(-1)!)

  /** What requests are judged by, each by its address: none is there twice. */
  async function read(db: Database, requests: readonly RequestDetails[]): Promise<Map<string, Reputation>> {
    const named = requests.map(({ correo, vecindad }) => {
      const level = levelOf(vecindad)
      return { correo, nivel: level, usados: usedLevelOf(level), dominio: domainLevelOf(correo) }
    })
    const opened = await readLevels(
      db,
      named.map(({ nivel }) => nivel),
      UNUSED_LEAK_PER_SECOND,
    )
    const used = await readLevels(
      db,
      named.flatMap(({ usados, dominio }) => [usados, dominio]),
      USED_LEAK_PER_SECOND,
    )
    return new Map(
      named.map(({ correo, nivel, usados, dominio }) => {
        const neighbourhood = { abiertos: opened.get(nivel) ?? 0, usados: used.get(usados) ?? 0 }
        return [
          correo,
          { vecindad: neighbourhood, esAjeno: !isProven(neighbourhood) || (used.get(dominio) ?? 0) === 0 },
        ]
      }),
    )
  }

  return {
    /** The name of the count of codes that a neighbourhood has open. */
    nivelOf: levelOf,
    read,
    async readOne(db: Database, neighbourhood: string): Promise<Neighbourhood> {
      const email = ''
      return (await read(db, [{ vecindad: neighbourhood, correo: email }])).get(email)!.vecindad
    },
    /** Counts codes that were used. @param hits `nivel`: as `nivelOf` named it when the code was asked for */
    addUsados: (tx: Database, hits: readonly { nivel: string; correo: string }[]) =>
      addLevels(
        tx,
        hits.flatMap(({ nivel, correo }) => [usedLevelOf(nivel), domainLevelOf(correo)]),
        USED_LEAK_PER_SECOND,
      ),
  }
}
