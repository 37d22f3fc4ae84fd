import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { keepsScroll } from '#app/ui/navigation/link.tsx'

/** Maximum of the smooth scroll, in window heights: from further down, the new screen would show its footer first. */
const MAX_SCROLL_WINDOWS = 0.5

/**
 * Scrolls smoothly to the top at each change of screen (§2.1), and focuses the new screen. The router restores the position at
 * Back and Forward (scroll-restoration.tsx), and the browser scrolls to a hash. Forms that answer in place do not scroll, nor do
 * links with the state `STILL`; `preventScrollReset` cannot mark those, since every link of the site has it.
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
    // In the frame callback, since scrolling at once would force one more layout.
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
