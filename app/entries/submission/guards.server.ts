import { createContext, type RouterContextProvider } from 'react-router'
import type { Registrations } from './registrations.server.ts'

/** Unset while public screens are rendered ahead. */
export const registrationsContext = createContext<Registrations | null>(null)

/** What receives registrations. */
export function registrationsOf(context: Readonly<RouterContextProvider>): Registrations {
  const registrations = context.get(registrationsContext)
  if (!registrations) throw new Error('This screen receives registrations; it cannot be rendered ahead')
  return registrations
}
