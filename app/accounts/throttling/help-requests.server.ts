import type { RouterContextProvider } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { LIMITS } from '#app/accounts/rules.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { countAttempt } from './rate-limit.server.ts'

/**
 * Counts a request of a visitor without an account, for the visitor's network and the network around it.
 * @param door each kind of request has its own count
 * @returns the seconds to wait; 0 if the request may go on
 */
export async function countHelpRequest(
  context: Readonly<RouterContextProvider>,
  door: 'peticion' | 'acreditacion',
): Promise<number> {
  const { services, facts } = servicesOf(context)
  const waits: number[] = []
  for (const network of networksOf(facts.client)) {
    const trace = accountsOf(context).traceOf(`${door}:${network}`)
    waits.push(await countAttempt(services.db, trace, LIMITS.helpRequestNetwork))
  }
  return Math.max(...waits)
}
