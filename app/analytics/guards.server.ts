import { createContext, type RouterContextProvider } from 'react-router'
import type { Visitas } from './visit-counter.server.ts'

/** Unset while public screens are rendered ahead. */
export const visitasContext = createContext<Visitas | null>(null)

export function visitasOf(context: Readonly<RouterContextProvider>): Visitas {
  const visitas = context.get(visitasContext)
  if (!visitas) throw new Error('Visits are counted by a running site only')
  return visitas
}
