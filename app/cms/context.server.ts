import { createContext, type RouterContextProvider } from 'react-router'
import type { DisplayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import type { DraftPreviews } from '#app/cms/editions/draft-preview.server.ts'
import type { MediaCache } from '#app/cms/editions/media-cache.server.ts'

/** The media cache and the draft previews of a running site. Each of the site's processes has its own. */
export interface EditionServices {
  mediaCache: MediaCache
  draftPreviews: DraftPreviews
}

export const editionServicesContext = createContext<EditionServices | null>(null)

/** Returns the edition services, for routes that are never prerendered. @throws Error during prerendering */
export function editionServicesOf(context: Readonly<RouterContextProvider>): EditionServices {
  const editionServices = context.get(editionServicesContext)
  if (!editionServices) throw new Error('This screen is dynamic; it cannot be prerendered')
  return editionServices
}

/** An organiser's preview of an edition's draft on the public site. */
export interface PublicPreview {
  /** ISO moment; without it the preview shows the present. */
  moment?: string | undefined
}

export const previewContext = createContext<PublicPreview | null>(null)

/**
 * Renders a public screen with another edition than the displayed one and, as a browser would complete it, with the registrations'
 * periods. server/render.ts provides it.
 * @param path URL without origin
 * @param cookie the visitor's cookie header, for screens behind a sign-in
 */
export type RenderScreen = (path: string, displayed: DisplayedEdition, cookie: string | null) => Promise<Response>

export const renderScreenContext = createContext<RenderScreen | null>(null)
