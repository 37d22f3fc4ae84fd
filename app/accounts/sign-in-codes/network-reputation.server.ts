import { type Neighbourhood, UNUSED_LEAK_PER_SECOND, USED_LEAK_PER_SECOND, usesItsCodes } from '#app/accounts/rules.ts'
import { addToLevels, readLevels } from '#app/accounts/throttling/rate-limit.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'

/** The parts of a code request on which its reputation depends. */
interface RatedRequest {
  email: string
  /** Keyed hash of the network's neighbourhood. */
  neighbourhoodTrace: string
}

interface Reputation {
  neighbourhood: Neighbourhood
  /** Whether the neighbourhood uses its codes (`usesItsCodes`), and the mail domain has used codes. */
  isProven: boolean
}

/**
 * Counts unused and used codes by neighbourhood, and used codes by mail domain. Strangers do not use codes that a script requested
 * for them, so many unused codes reveal the script's neighbourhood.
 * @param counterTraceOf returns the keyed hash that identifies a counter
 */
export function createNetworkReputation(counterTraceOf: (...parts: string[]) => string) {
  const unusedTraceOf = (neighbourhoodTrace: string) => counterTraceOf('sin-usar', neighbourhoodTrace)
  const usedTraceOf = (unusedTrace: string) => counterTraceOf('usados', unusedTrace)
  const domainTraceOf = (email: string) => counterTraceOf('dominio', mailboxOf(email).split('@').at(-1)!)

  /** Reads the reputation of requests by mail address; no address may occur twice. */
  async function read(db: Database, requests: readonly RatedRequest[]): Promise<Map<string, Reputation>> {
    const requestCounters = requests.map(({ email, neighbourhoodTrace }) => {
      const unusedTrace = unusedTraceOf(neighbourhoodTrace)
      return { email, unusedTrace, usedTrace: usedTraceOf(unusedTrace), domainTrace: domainTraceOf(email) }
    })
    const unusedLevels = await readLevels(
      db,
      requestCounters.map(({ unusedTrace }) => unusedTrace),
      UNUSED_LEAK_PER_SECOND,
    )
    const usedLevels = await readLevels(
      db,
      requestCounters.flatMap(({ usedTrace, domainTrace }) => [usedTrace, domainTrace]),
      USED_LEAK_PER_SECOND,
    )
    return new Map(
      requestCounters.map(({ email, unusedTrace, usedTrace, domainTrace }) => {
        const neighbourhood = {
          unusedCodes: unusedLevels.get(unusedTrace) ?? 0,
          usedCodes: usedLevels.get(usedTrace) ?? 0,
        }
        const isProven = usesItsCodes(neighbourhood) && (usedLevels.get(domainTrace) ?? 0) > 0
        return [email, { neighbourhood, isProven }]
      }),
    )
  }

  return {
    /** Returns the trace under which a neighbourhood's unused codes are counted. */
    unusedTraceOf,
    read,
    async readNeighbourhood(db: Database, neighbourhoodTrace: string): Promise<Neighbourhood> {
      // Counts by mail domain are not used here, so the email may be empty.
      const email = ''
      return (await read(db, [{ neighbourhoodTrace, email }])).get(email)!.neighbourhood
    },
    /** Counts used codes. @param usedCodes `unusedTrace`: of the neighbourhood that requested the code */
    addUsed: (tx: Database, usedCodes: readonly { unusedTrace: string; email: string }[]) =>
      addToLevels(
        tx,
        usedCodes.flatMap(({ unusedTrace, email }) => [usedTraceOf(unusedTrace), domainTraceOf(email)]),
        USED_LEAK_PER_SECOND,
      ),
  }
}
