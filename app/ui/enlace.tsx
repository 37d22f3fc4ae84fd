import { Link, type LinkProps, NavLink, type NavLinkProps } from 'react-router'

/**
 * Links inside the site. The router would jump to the top at once; the frame scrolls there smoothly instead (§2.1).
 * A screen in reach of the eye is fetched before it is asked for.
 */
export const Enlace = (props: LinkProps) => <Link preventScrollReset prefetch="viewport" {...props} />
export const EnlaceMenu = (props: NavLinkProps) => <NavLink preventScrollReset prefetch="viewport" {...props} />
