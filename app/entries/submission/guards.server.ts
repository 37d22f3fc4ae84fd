import { createContext, type RouterContextProvider } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Registrations } from './registrations.server.ts'

/** The context holds null while public screens are prerendered. */
export const registrationsContext = createContext<Registrations | null>(null)

/** Returns the service that receives registrations. @throws Error while public screens are prerendered */
export function registrationsOf(context: Readonly<RouterContextProvider>): Registrations {
  const registrations = context.get(registrationsContext)
  if (!registrations) throw new Error('This screen receives registrations; it cannot be rendered ahead')
  return registrations
}

/** Returns keyed hashes of a visitor's networks, the narrowest first, by which lookups of folios are limited. */
export const folioTracesOf = (context: Readonly<RouterContextProvider>): string[] =>
  networksOf(servicesOf(context).facts.client).map((network) => accountsOf(context).traceOf(`folio:${network}`))
