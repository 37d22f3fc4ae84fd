import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { isStill } from '#app/ui/navigation/link.tsx'

/** The page scrolls up by at most this many window heights: from further down, the new screen would show its footer first. */
const MAX_SCROLL_WINDOWS = 0.5

/**
 * Scrolls smoothly to the top at each change of screen (§2.1), and focuses the new screen. Back and Forward are left to the
 * router (scroll-restoration.tsx), a hash to the browser. A form that answers in place moves nothing, nor does a link with the
 * state `STILL`; `preventScrollReset` cannot mark such links, because every link of the site has it.
 */
export function useScrollOnNavigate(): void {
  const { key, pathname, hash, state } = useLocation()
  const type = useNavigationType()
  const previousLocation = useRef({ key, pathname })

  useLayoutEffect(() => {
    const { key: oldKey, pathname: oldPathname } = previousLocation.current
    previousLocation.current = { key, pathname }
    if (key === oldKey || type === 'POP' || hash !== '') return
    if (pathname === oldPathname && (type === 'REPLACE' || isStill(state))) return
    // The scroll waits for the new screen's first frame, before the paint: scrolling at once would force one more layout.
    requestAnimationFrame(() => {
      const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
      if (pathname !== oldPathname)
        scrollTo({ top: Math.min(scrollY, MAX_SCROLL_WINDOWS * innerHeight), behavior: 'instant' })
      scrollTo({ top: 0, behavior: prefersReducedMotion ? 'instant' : 'smooth' })
      const screen = document.getElementById('contenido')
      // A screen with an immediate message has focused the message already.
      if (pathname !== oldPathname && !screen?.contains(document.activeElement)) screen?.focus({ preventScroll: true })
    })
  }, [key, pathname, hash, state, type])
}
