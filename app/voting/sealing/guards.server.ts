import { createContext, type RouterContextProvider } from 'react-router'
import type { Tally } from './create-tally.server.ts'

/** Holds the tally; null while public screens are prerendered. */
export const tallyContext = createContext<Tally | null>(null)

export function tallyOf(context: Readonly<RouterContextProvider>): Tally {
  const tally = context.get(tallyContext)
  if (!tally) throw new Error('This screen shows the count; it cannot be prerendered')
  return tally
}
