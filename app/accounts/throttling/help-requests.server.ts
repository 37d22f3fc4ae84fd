import type { RouterContextProvider } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { ATTEMPT_LIMITS } from '#app/accounts/rules.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { countAttempt } from './rate-limit.server.ts'

/**
 * Counts a request that needs no account, for the visitor's network and, for IPv6, for the /48 around it.
 * @param kind of the request, each of which is counted separately
 * @returns seconds to wait; 0 if the request may be handled now
 */
export async function countHelpRequest(
  context: Readonly<RouterContextProvider>,
  kind: 'peticion' | 'acreditacion',
): Promise<number> {
  const { services, facts } = servicesOf(context)
  const waits: number[] = []
  for (const network of networksOf(facts.client)) {
    const trace = accountsOf(context).traceOf(`${kind}:${network}`)
    waits.push(await countAttempt(services.db, trace, ATTEMPT_LIMITS.helpRequestNetwork))
  }
  return Math.max(...waits)
}
