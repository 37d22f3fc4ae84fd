import { createContext, type RouterContextProvider } from 'react-router'
import type { Voting } from './mutations.server.ts'
import type { NewestBlock } from './schema.ts'

/** Unset while public screens are rendered ahead. */
export const votingContext = createContext<Voting | null>(null)

/** The vote of the running site. */
export function votingOf(context: Readonly<RouterContextProvider>): Voting {
  const voting = context.get(votingContext)
  if (!voting) throw new Error('This screen takes votes; it cannot be rendered ahead')
  return voting
}

/** Asks the count for the newest link of its published chain. Unset while public screens are rendered ahead. */
export const newestBlockContext = createContext<(() => Promise<NewestBlock | undefined>) | null>(null)
