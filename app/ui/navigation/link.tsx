import { type ComponentProps, useRef } from 'react'
import { follow } from './navigate.ts'
import { type PrefetchBehavior, usePrefetch } from './prefetch.ts'

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'ref' | 'target' | 'download'> {
  /** An address inside the site, or a query (`?…`) on the current screen. */
  to: string
  prefetch?: PrefetchBehavior
  /** Whether the new screen replaces the current one in the browser's history. */
  replace?: boolean
  /** Navigation state that the router hands to the new screen. */
  state?: unknown
  /** Whether the browser loads the address as a new document. */
  reloadDocument?: boolean
}

/** A link inside the site. By default the linked screen is fetched once the link is in view. */
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
        if (!reloadDocument) follow(event, replace, state)
      }}
    />
  )
}

/** Navigation state of a link that changes a part of the current screen: the layout keeps the scroll position. */
export const STILL = { quieto: true }
export const isStill = (state: unknown): boolean => (state as Partial<typeof STILL> | null)?.quieto === true
