import { createContext, type RouterContextProvider } from 'react-router'
import type { Visits } from './visit-counter.server.ts'

/** Unset while public screens are rendered ahead. */
export const visitsContext = createContext<Visits | null>(null)

export function visitsOf(context: Readonly<RouterContextProvider>): Visits {
  const visits = context.get(visitsContext)
  if (!visits) throw new Error('Visits are counted by a running site only')
  return visits
}
