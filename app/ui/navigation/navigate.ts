import { type MouseEvent, useLayoutEffect } from 'react'
import { type NavigateFunction, type NavigateOptions, useNavigate } from 'react-router'

/** This is the router's `navigate`, set while the page is hydrated. */
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

/** Goes to an address of the site. The router would jump to the top at once; the layout scrolls there smoothly (§2.1). */
export function navigateTo(
  to: string | { pathname?: string; search: string; hash: string },
  options?: NavigateOptions,
): void {
  void navigate?.(to, { preventScrollReset: true, ...options })
}

/**
 * Follows a link within the page, unless the browser is to open it elsewhere.
 * @param replace whether the new screen replaces the current one in the history; a link to the current address always does
 */
export function followLink(event: MouseEvent<HTMLAnchorElement>, replace = false, state?: unknown): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, currentTarget } = event
  if (!navigate || defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
  event.preventDefault()
  const { href, pathname, search, hash } = currentTarget
  navigateTo({ pathname, search, hash }, { replace: replace || href === location.href, state })
}
