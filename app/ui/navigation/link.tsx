import { type ComponentProps, useRef } from 'react'
import { followLink } from './navigate.ts'
import { type PrefetchBehavior, usePrefetch } from './prefetch.ts'

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'ref' | 'target' | 'download'> {
  /** A path of the site, or a query (`?…`) for the current screen. */
  to: string
  prefetch?: PrefetchBehavior
  /** Whether the new screen replaces the current one in the browser's history. */
  replace?: boolean
  state?: unknown
  /** Whether the browser loads the URL as a new document, without the router. */
  reloadDocument?: boolean
}

/** Renders a link inside the site. By default the linked screen is prefetched once the link is in view. */
export function Link({ to, prefetch = 'viewport', replace, state, reloadDocument, onClick, ...props }: Props) {
  const link = useRef<HTMLAnchorElement>(null)
  usePrefetch(link, prefetch)
  return (
    <a
      {...props}
      ref={link}
      href={to}
      onClick={(event) => {
        onClick?.(event)
        if (!reloadDocument) followLink(event, replace, state)
      }}
    />
  )
}

/** Navigation state of links that change only a part of the screen, so that the layout keeps the scroll position. */
export const KEEP_SCROLL = { keepsScroll: true }
export const keepsScroll = (state: unknown): boolean =>
  (state as Partial<typeof KEEP_SCROLL> | null)?.keepsScroll === true
