import { createContext, type RouterContextProvider } from 'react-router'
import type { Registrations } from './registrations.server.ts'

/** The context holds null while public screens are prerendered. */
export const registrationsContext = createContext<Registrations | null>(null)

/** Returns the service that receives registrations. @throws Error while public screens are prerendered */
export function registrationsOf(context: Readonly<RouterContextProvider>): Registrations {
  const registrations = context.get(registrationsContext)
  if (!registrations) throw new Error('This screen receives registrations; it cannot be rendered ahead')
  return registrations
}
