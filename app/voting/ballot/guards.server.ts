import { createContext, type RouterContextProvider } from 'react-router'
import type { Voting } from './mutations.server.ts'
import type { NewestBlock } from './schema.ts'

/** Unset while public screens are prerendered. */
export const votingContext = createContext<Voting | null>(null)

/** The voting service of the running site. @throws while public screens are prerendered */
export function votingOf(context: Readonly<RouterContextProvider>): Voting {
  const voting = context.get(votingContext)
  if (!voting) throw new Error('This screen takes votes; it cannot be rendered ahead')
  return voting
}

/** Reads the newest block of the published chain. Unset while public screens are prerendered. */
export const newestBlockContext = createContext<(() => Promise<NewestBlock | undefined>) | null>(null)
