import { Link, type LinkProps, NavLink, type NavLinkProps, useMatches } from 'react-router'

/**
 * Links inside the site. The router would jump to the top at once; the frame scrolls there smoothly instead (§2.1). The
 * screen behind a link in view is fetched before it is asked for.
 */
export const Enlace = (props: LinkProps) => <Link preventScrollReset {...useAhead(props)} {...props} />

/** Of a link that shows something else within what is looked at: the frame leaves the page where it is. */
export const QUIETO = { quieto: true }
export const isQuieto = (state: unknown): boolean => (state as Partial<typeof QUIETO> | null)?.quieto === true

export const EnlaceMenu = (props: NavLinkProps) => <NavLink preventScrollReset {...useAhead(props)} {...props} />

/**
 * A module that cannot be fetched ahead makes the router reload the page, and over a bad connection that would cost
 * whatever was typed: a screen with a form says `handle.prefetch` false. What is fetched ahead is marked in the document
 * (`data-discover`), for the stylesheets (app/marco/por-venir.ts).
 */
function useAhead({ prefetch }: Pick<LinkProps, 'prefetch'>): Pick<LinkProps, 'prefetch' | 'discover'> {
  const plain = useMatches().some(({ handle }) => (handle as { prefetch?: boolean } | undefined)?.prefetch === false)
  const how = prefetch ?? (plain ? 'none' : 'viewport')
  return { prefetch: how, discover: plain || how === 'none' ? 'none' : 'render' }
}
