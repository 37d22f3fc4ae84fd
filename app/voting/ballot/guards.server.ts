import { createContext, type RouterContextProvider } from 'react-router'
import type { Voting } from './mutations.server.ts'
import type { NewestBlock } from './schema.ts'

/** Holds the voting service; null while public screens are prerendered. */
export const votingContext = createContext<Voting | null>(null)

export function votingOf(context: Readonly<RouterContextProvider>): Voting {
  const voting = context.get(votingContext)
  if (!voting) throw new Error('This screen takes votes; it cannot be prerendered')
  return voting
}

/** Holds a function that reads the newest block of the published chain; null while public screens are prerendered. */
export const newestBlockContext = createContext<(() => Promise<NewestBlock | undefined>) | null>(null)
