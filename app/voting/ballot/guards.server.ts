import { createContext, type RouterContextProvider } from 'react-router'
import type { Votacion } from './mutations.server.ts'
import type { UltimaCaja } from './schema.ts'

/** Unset while public screens are rendered ahead. */
export const votacionContext = createContext<Votacion | null>(null)

/** The vote of the running site. */
export function votacionOf(context: Readonly<RouterContextProvider>): Votacion {
  const votacion = context.get(votacionContext)
  if (!votacion) throw new Error('This screen takes votes; it cannot be rendered ahead')
  return votacion
}

/** Asks the count for the newest link of its published chain. Unset while public screens are rendered ahead. */
export const ultimaCajaContext = createContext<(() => Promise<UltimaCaja | undefined>) | null>(null)
