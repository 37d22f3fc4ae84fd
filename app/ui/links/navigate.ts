import { type MouseEvent, useLayoutEffect } from 'react'
import { type NavigateFunction, type NavigateOptions, useNavigate } from 'react-router'

/** The router's way to another screen, as long as the page is alive. */
let navigate: NavigateFunction | undefined

/**
 * Hands over the router's way, for all links of the page at once. Whoever asks the router for it is rendered anew for
 * each of its states, two to a change of screen, and there are a hundred links on some.
 */
export function useLinkNavigation(): void {
  const way = useNavigate()
  useLayoutEffect(() => {
    navigate = way
    return () => {
      navigate = undefined
    }
  }, [way])
}

/** Goes to an address of the site. The router would jump to its top at once; the frame scrolls there smoothly (§2.1). */
export function irA(to: string | { pathname?: string; search: string; hash: string }, options?: NavigateOptions): void {
  void navigate?.(to, { preventScrollReset: true, ...options })
}

/**
 * Follows a link within the page, unless the browser is to open it elsewhere.
 * @param replace whether it takes the place of the screen in the history; a link to the very same address always does
 */
export function follow(event: MouseEvent<HTMLAnchorElement>, replace = false, state?: unknown): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, currentTarget } = event
  if (!navigate || defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
  event.preventDefault()
  const { href, pathname, search, hash } = currentTarget
  irA({ pathname, search, hash }, { replace: replace || href === location.href, state })
}
