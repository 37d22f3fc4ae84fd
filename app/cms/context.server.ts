import { createContext, type RouterContextProvider } from 'react-router'
import type { DisplayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { DraftPreviews } from '#app/cms/editions/draft-preview.server.ts'
import type { MediaCache } from '#app/cms/editions/media-cache.server.ts'

/** What the running site has of editions, beside the one in force. */
export interface Editions {
  acervo: MediaCache
  borradores: DraftPreviews
}

export const editionsContext = createContext<Editions | null>(null)

/** For screens and addresses that are never rendered ahead. */
export function editionsOf(context: Readonly<RouterContextProvider>): Editions {
  const editions = context.get(editionsContext)
  if (!editions) throw new Error('This screen is dynamic; it cannot be rendered ahead')
  return editions
}

/** What an organiser looks at in place of the site: its draft, at a moment of her choice. */
export interface View {
  /** ISO; undefined: now. */
  momento?: string | undefined
}

/** null for everybody else. */
export const previewContext = createContext<View | null>(null)

/**
 * Renders a public screen with another edition than the one in force; set by server/render.ts, which knows the screens.
 * @param path address without origin
 * @param moment the hour that it is then; undefined: now
 * @param cookie whoever looks, for screens that not everybody may see
 */
export type RenderScreen = (
  path: string,
  displayed: DisplayedEdition,
  moment?: Date,
  cookie?: string | null,
) => Promise<Response>

export const renderScreenContext = createContext<RenderScreen | null>(null)
