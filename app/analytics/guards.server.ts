import { createContext, type RouterContextProvider } from 'react-router'
import type { VisitCounter } from './visit-counter.server.ts'

/** Holds the counter of visits; null while public screens are prerendered. */
export const visitsContext = createContext<VisitCounter | null>(null)

/** Returns the counter of visits. @throws while public screens are prerendered */
export function visitsOf(context: Readonly<RouterContextProvider>): VisitCounter {
  const visits = context.get(visitsContext)
  if (!visits) throw new Error('Visits are counted by a running site only')
  return visits
}
