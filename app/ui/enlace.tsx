import { Link, type LinkProps, NavLink, type NavLinkProps, useMatches } from 'react-router'

/**
 * Links inside the site. The router would jump to the top at once; the frame scrolls there smoothly instead (§2.1). The
 * screen behind a link in view is fetched before it is asked for.
 */
export const Enlace = (props: LinkProps) => <Link preventScrollReset prefetch={usePrefetch()} {...props} />

/** Of a link that shows something else within what is looked at: the frame leaves the page where it is. */
export const QUIETO = { quieto: true }
export const isQuieto = (state: unknown): boolean => (state as Partial<typeof QUIETO> | null)?.quieto === true

export const EnlaceMenu = (props: NavLinkProps) => <NavLink preventScrollReset prefetch={usePrefetch()} {...props} />

/**
 * A module that cannot be fetched ahead makes the router reload the page, and over a bad connection that would cost
 * whatever was typed: a screen with a form says `handle.prefetch` false.
 */
export function usePrefetch(): 'viewport' | 'none' {
  const plain = useMatches().some(({ handle }) => (handle as { prefetch?: boolean } | undefined)?.prefetch === false)
  return plain ? 'none' : 'viewport'
}
