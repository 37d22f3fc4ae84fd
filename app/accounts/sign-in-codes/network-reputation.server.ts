import { isProven, type Neighbourhood, UNUSED_LEAK_PER_SECOND, USED_LEAK_PER_SECOND } from '#app/accounts/rules.ts'
import { addLevels, readLevels } from '#app/accounts/throttling/rate-limit.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'

/** The reputation of a code request depends on these parts of the request. */
interface RatedRequest {
  email: string
  /** The keyed hash of the network's neighbourhood. */
  neighbourhood: string
}

interface Reputation {
  neighbourhood: Neighbourhood
  /** True unless both the neighbourhood and the mail domain have been seen to use codes. */
  isForeign: boolean
}

/**
 * Counts sent and used codes by neighbourhood, and used codes by mail domain. Codes that a script has sent to strangers
 * leave the neighbourhood and the domain without a used code.
 * @param counterTraceOf keyed hash that names a counter
 */
export function createNetworkReputation(counterTraceOf: (...parts: string[]) => string) {
  const levelOf = (neighbourhood: string) => counterTraceOf('sin-usar', neighbourhood)
  const usedLevelOf = (level: string) => counterTraceOf('usados', level)
  const domainLevelOf = (email: string) => counterTraceOf('dominio', mailboxOf(email).split('@').at(-1)!)

  /** Reads the reputation of requests by address; no address may come twice. */
  async function read(db: Database, requests: readonly RatedRequest[]): Promise<Map<string, Reputation>> {
    const requestCounters = requests.map(({ email, neighbourhood }) => {
      const level = levelOf(neighbourhood)
      return { email, level, usedLevel: usedLevelOf(level), domainLevel: domainLevelOf(email) }
    })
    const unusedLevels = await readLevels(
      db,
      requestCounters.map(({ level }) => level),
      UNUSED_LEAK_PER_SECOND,
    )
    const used = await readLevels(
      db,
      requestCounters.flatMap(({ usedLevel, domainLevel }) => [usedLevel, domainLevel]),
      USED_LEAK_PER_SECOND,
    )
    return new Map(
      requestCounters.map(({ email, level, usedLevel, domainLevel }) => {
        const neighbourhood = { unusedCodes: unusedLevels.get(level) ?? 0, usedCodes: used.get(usedLevel) ?? 0 }
        return [email, { neighbourhood, isForeign: !isProven(neighbourhood) || (used.get(domainLevel) ?? 0) === 0 }]
      }),
    )
  }

  return {
    /** Names the counter of a neighbourhood's open codes. */
    levelOf,
    read,
    async readOne(db: Database, neighbourhood: string): Promise<Neighbourhood> {
      const email = ''
      return (await read(db, [{ neighbourhood, email }])).get(email)!.neighbourhood
    },
    /** Counts used codes; the counter of a hit is the one that was named when the code was asked for. */
    addUsed: (tx: Database, hits: readonly { level: string; email: string }[]) =>
      addLevels(
        tx,
        hits.flatMap(({ level, email }) => [usedLevelOf(level), domainLevelOf(email)]),
        USED_LEAK_PER_SECOND,
      ),
  }
}
