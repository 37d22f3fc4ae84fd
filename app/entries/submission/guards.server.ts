import { createContext, type RouterContextProvider } from 'react-router'
import type { Registros } from './registrations.server.ts'

/** Unset while public screens are rendered ahead. */
export const registrosContext = createContext<Registros | null>(null)

/** What receives registrations. */
export function registrosOf(context: Readonly<RouterContextProvider>): Registros {
  const registros = context.get(registrosContext)
  if (!registros) throw new Error('This screen receives registrations; it cannot be rendered ahead')
  return registros
}
