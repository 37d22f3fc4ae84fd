import { type MouseEvent, useLayoutEffect } from 'react'
import { type NavigateFunction, type NavigateOptions, useNavigate } from 'react-router'

/** The router's `navigate`; undefined before hydration. */
let navigate: NavigateFunction | undefined

/**
 * Shares the router's `navigate` with all links of the page. A link that called `useNavigate` itself would render again
 * at each router state, twice per change of screen, and some screens have a hundred links.
 */
export function useLinkNavigation(): void {
  const routerNavigate = useNavigate()
  useLayoutEffect(() => {
    navigate = routerNavigate
    return () => {
      navigate = undefined
    }
  }, [routerNavigate])
}

/** Navigates to a URL of the site, without the router's jump to the top: the layout scrolls there smoothly (§2.1). */
export function navigateTo(
  to: string | { pathname?: string; search: string; hash: string },
  options?: NavigateOptions,
): void {
  void navigate?.(to, { preventScrollReset: true, ...options })
}

/**
 * Follows a link by the router, unless the click asks for another tab or window.
 * @param replace whether the new screen replaces the current one in the history; a link to the current URL always does
 */
export function followLink(event: MouseEvent<HTMLAnchorElement>, replace = false, state?: unknown): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, currentTarget } = event
  if (!navigate || defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
  event.preventDefault()
  const { href, pathname, search, hash } = currentTarget
  navigateTo({ pathname, search, hash }, { replace: replace || href === location.href, state })
}
