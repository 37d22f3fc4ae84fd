import { createContext, type RouterContextProvider } from 'react-router'
import type { EdicionPuesta } from '#app/cms/editions/displayed-edition.server.ts'
import type { Borradores } from '#app/cms/editions/draft-preview.server.ts'
import type { Acervo } from '#app/cms/editions/media-cache.server.ts'

/** What the running site has of editions, beside the one in force. */
export interface Ediciones {
  acervo: Acervo
  borradores: Borradores
}

export const edicionesContext = createContext<Ediciones | null>(null)

/** For screens and addresses that are never rendered ahead. */
export function edicionesOf(context: Readonly<RouterContextProvider>): Ediciones {
  const ediciones = context.get(edicionesContext)
  if (!ediciones) throw new Error('This screen is dynamic; it cannot be rendered ahead')
  return ediciones
}

/** What an organiser looks at in place of the site: its draft, at a moment of her choice. */
export interface Vista {
  /** ISO; undefined: now. */
  momento?: string | undefined
}

/** null for everybody else. */
export const vistaContext = createContext<Vista | null>(null)

/**
 * Renders a public screen with another edition than the one in force; set by server/render.ts, which knows the screens.
 * @param ruta address without origin
 * @param momento the hour that it is then; undefined: now
 * @param cookie whoever looks, for screens that not everybody may see
 */
export type Pintar = (ruta: string, puesta: EdicionPuesta, momento?: Date, cookie?: string | null) => Promise<Response>

export const pintarContext = createContext<Pintar | null>(null)
