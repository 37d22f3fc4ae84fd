import { type ComponentProps, useRef } from 'react'
import { follow } from './navigate.ts'
import { type PrefetchBehavior, usePrefetch } from './prefetch.ts'

interface Props extends Omit<ComponentProps<'a'>, 'href' | 'ref' | 'target' | 'download'> {
  /** An address of the site, or a search (`?…`) of this very screen. */
  to: string
  prefetch?: PrefetchBehavior
  /** Whether it takes the place of the screen in the history. */
  replace?: boolean
  /** What the screen is told that it leads to. */
  state?: unknown
  /** Whether the browser asks for the document anew. */
  reloadDocument?: boolean
}

/** Links inside the site. The screen behind a link in view is fetched before it is asked for. */
export function Enlace({ to, prefetch = 'viewport', replace, state, reloadDocument, onClick, ...props }: Props) {
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

/** Of a link that shows something else within what is looked at: the frame leaves the page where it is. */
export const STILL = { quieto: true }
export const isStill = (state: unknown): boolean => (state as Partial<typeof STILL> | null)?.quieto === true
