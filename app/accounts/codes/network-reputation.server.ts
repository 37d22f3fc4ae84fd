import { isProven, type Neighbourhood, UNUSED_LEAK_PER_SECOND, USED_LEAK_PER_SECOND } from '#app/accounts/rules.ts'
import { addLevels, readLevels } from '#app/accounts/throttling/rate-limit.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'

/** The parts of a code request that its reputation depends on. */
interface RequestDetails {
  correo: string
  /** Keyed hash of the network's neighbourhood. */
  vecindad: string
}

interface Reputation {
  vecindad: Neighbourhood
  /** Whether the neighbourhood or the mail domain has not been seen to use its codes. */
  esAjeno: boolean
}

/**
 * Counts sent and used codes by neighbourhood, and used codes by mail domain. Codes for strangers leave both without a
 * used one.
 * @param counterTraceOf keyed hash that names a counter
 */
export function createNetworkReputation(counterTraceOf: (...parts: string[]) => string) {
  const levelOf = (neighbourhood: string) => counterTraceOf('sin-usar', neighbourhood)
  const usedLevelOf = (level: string) => counterTraceOf('usados', level)
  const domainLevelOf = (email: string) => counterTraceOf('dominio', mailboxOf(email).split('@').at(-1)!)

  /** Reads the reputation of requests by address; no address may come twice. */
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
    /** Names the counter of a neighbourhood's open codes. */
    nivelOf: levelOf,
    read,
    async readOne(db: Database, neighbourhood: string): Promise<Neighbourhood> {
      const email = ''
      return (await read(db, [{ vecindad: neighbourhood, correo: email }])).get(email)!.vecindad
    },
    /** Counts used codes; the counter of a hit is the one that was named when the code was asked for. */
    addUsados: (tx: Database, hits: readonly { nivel: string; correo: string }[]) =>
      addLevels(
        tx,
        hits.flatMap(({ nivel, correo }) => [usedLevelOf(nivel), domainLevelOf(correo)]),
        USED_LEAK_PER_SECOND,
      ),
  }
}
