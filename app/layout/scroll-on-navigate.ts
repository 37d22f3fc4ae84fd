import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { keepsScroll } from '#app/ui/navigation/link.tsx'

/** Longest smooth scroll, in window heights: from further down, the new screen would show its footer first. */
const MAX_SCROLL_WINDOWS = 0.5

/**
 * Scrolls to the top at each navigation, smoothly unless the visitor asked for less motion (§2.1), and focuses a new screen. At
 * Back and Forward the router restores the position (scroll-restoration.tsx), and the browser scrolls to a hash. Nothing scrolls
 * after a form that answers in place, or a link with the state KEEP_SCROLL: the router's own `preventScrollReset` cannot tell,
 * since every link of the site has it.
 */
export function useScrollOnNavigate(): void {
  const { key, pathname, hash, state } = useLocation()
  const navigationType = useNavigationType()
  const previousLocation = useRef({ key, pathname })

  useLayoutEffect(() => {
    const { key: oldKey, pathname: oldPathname } = previousLocation.current
    previousLocation.current = { key, pathname }
    if (key === oldKey || navigationType === 'POP' || hash !== '') return
    if (pathname === oldPathname && (navigationType === 'REPLACE' || keepsScroll(state))) return
    // The frame callback scrolls, since scrolling at once would force one more layout.
    requestAnimationFrame(() => {
      const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
      if (pathname !== oldPathname)
        scrollTo({ top: Math.min(scrollY, MAX_SCROLL_WINDOWS * innerHeight), behavior: 'instant' })
      scrollTo({ top: 0, behavior: prefersReducedMotion ? 'instant' : 'smooth' })
      const screen = document.getElementById('contenido')
      // A screen that opens with a message has focused it already.
      if (pathname !== oldPathname && !screen?.contains(document.activeElement)) screen?.focus({ preventScroll: true })
    })
  }, [key, pathname, hash, state, navigationType])
}
