import { createContext, type RouterContextProvider } from 'react-router'
import type { Escrutinio } from './create-tally.server.ts'

/** Unset while public screens are rendered ahead. */
export const escrutinioContext = createContext<Escrutinio | null>(null)

/** The count of the running site. */
export function escrutinioOf(context: Readonly<RouterContextProvider>): Escrutinio {
  const escrutinio = context.get(escrutinioContext)
  if (!escrutinio) throw new Error('This screen shows the count; it cannot be rendered ahead')
  return escrutinio
}
