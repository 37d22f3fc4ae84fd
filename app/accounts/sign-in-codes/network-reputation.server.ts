import { isProven, type Neighbourhood, UNUSED_LEAK_PER_SECOND, USED_LEAK_PER_SECOND } from '#app/accounts/rules.ts'
import { addLevels, readLevels } from '#app/accounts/throttling/rate-limit.server.ts'
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
  /** False if both the neighbourhood and the mail domain have been seen to use codes. */
  isUnproven: boolean
}

/**
 * Counts sent and used codes by neighbourhood, and used codes by mail domain. If a script has codes sent to strangers, no code of
 * the neighbourhood is used.
 * @param counterTraceOf returns the keyed hash under which something is counted
 */
export function createNetworkReputation(counterTraceOf: (...parts: string[]) => string) {
  const levelOf = (neighbourhoodTrace: string) => counterTraceOf('sin-usar', neighbourhoodTrace)
  const usedLevelOf = (level: string) => counterTraceOf('usados', level)
  const domainLevelOf = (email: string) => counterTraceOf('dominio', mailboxOf(email).split('@').at(-1)!)

  /** Reads the reputation of requests by their addresses, of which none may be repeated. */
  async function read(db: Database, requests: readonly RatedRequest[]): Promise<Map<string, Reputation>> {
    const requestCounters = requests.map(({ email, neighbourhoodTrace }) => {
      const level = levelOf(neighbourhoodTrace)
      return { email, level, usedLevel: usedLevelOf(level), domainLevel: domainLevelOf(email) }
    })
    const unusedLevels = await readLevels(
      db,
      requestCounters.map(({ level }) => level),
      UNUSED_LEAK_PER_SECOND,
    )
    const usedLevels = await readLevels(
      db,
      requestCounters.flatMap(({ usedLevel, domainLevel }) => [usedLevel, domainLevel]),
      USED_LEAK_PER_SECOND,
    )
    return new Map(
      requestCounters.map(({ email, level, usedLevel, domainLevel }) => {
        const neighbourhood = { unusedCodes: unusedLevels.get(level) ?? 0, usedCodes: usedLevels.get(usedLevel) ?? 0 }
        const isUnproven = !isProven(neighbourhood) || (usedLevels.get(domainLevel) ?? 0) === 0
        return [email, { neighbourhood, isUnproven }]
      }),
    )
  }

  return {
    /** Returns the trace under which a neighbourhood's unused codes are counted. */
    levelOf,
    read,
    async readOne(db: Database, neighbourhoodTrace: string): Promise<Neighbourhood> {
      const email = ''
      return (await read(db, [{ neighbourhoodTrace, email }])).get(email)!.neighbourhood
    },
    /** Counts used codes. @param usedCodes `level`: of the neighbourhood that asked for the code (`levelOf`) */
    addUsed: (tx: Database, usedCodes: readonly { level: string; email: string }[]) =>
      addLevels(
        tx,
        usedCodes.flatMap(({ level, email }) => [usedLevelOf(level), domainLevelOf(email)]),
        USED_LEAK_PER_SECOND,
      ),
  }
}
