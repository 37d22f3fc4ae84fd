import { createContext, type RouterContextProvider } from 'react-router'
import type { Votacion } from './mutations.server.ts'

/** Unset while public screens are rendered ahead. */
export const votacionContext = createContext<Votacion | null>(null)

/** The vote of the running site. */
export function votacionOf(context: Readonly<RouterContextProvider>): Votacion {
  const votacion = context.get(votacionContext)
  if (!votacion) throw new Error('This screen takes votes; it cannot be rendered ahead')
  return votacion
}
