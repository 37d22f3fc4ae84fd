import { createContext, type RouterContextProvider } from 'react-router'
import type { DisplayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { DraftPreviews } from '#app/cms/editions/draft-preview.server.ts'
import type { MediaCache } from '#app/cms/editions/media-cache.server.ts'

/** The running site has one media cache and one store of draft previews. */
export interface Editions {
  mediaCache: MediaCache
  draftPreviews: DraftPreviews
}

export const editionsContext = createContext<Editions | null>(null)

/** Returns the editions for routes that are never prerendered. @throws Error during prerendering */
export function editionsOf(context: Readonly<RouterContextProvider>): Editions {
  const editions = context.get(editionsContext)
  if (!editions) throw new Error('This screen is dynamic; it cannot be prerendered')
  return editions
}

/** An organiser sees a preview in place of the public site: the draft, at a chosen moment. */
export interface PublicPreview {
  /** An ISO moment; undefined: now. */
  moment?: string | undefined
}

/** The context is null for requests without a preview. */
export const previewContext = createContext<PublicPreview | null>(null)

/**
 * Renders a public screen with an edition other than the displayed one. server/render.ts provides it.
 * @param path address without origin
 * @param moment the time of the rendering; undefined: now
 * @param cookie the visitor's cookie header, for screens behind a sign-in
 */
export type RenderScreen = (
  path: string,
  displayed: DisplayedEdition,
  moment?: Date,
  cookie?: string | null,
) => Promise<Response>

export const renderScreenContext = createContext<RenderScreen | null>(null)
