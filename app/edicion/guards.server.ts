import { createContext, type RouterContextProvider } from 'react-router'
import type { Acervo } from './acervo.server.ts'

/** What the running site has of editions, beside the one in force. */
export interface Ediciones {
  acervo: Acervo
}

export const edicionesContext = createContext<Ediciones | null>(null)

/** For screens and addresses that are never rendered ahead. */
export function edicionesOf(context: Readonly<RouterContextProvider>): Ediciones {
  const ediciones = context.get(edicionesContext)
  if (!ediciones) throw new Error('This screen is dynamic; it cannot be rendered ahead')
  return ediciones
}
