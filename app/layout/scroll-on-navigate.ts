import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { isStill } from '#app/ui/links/link.tsx'

/** The way up begins so far down at most, in heights of the window: below, the new screen would show its footer first. */
const FROM_AT_MOST = 0.5

/**
 * Each change of screen scrolls smoothly to the top (§2.1) and hands the focus to the new screen. Back and Forward are
 * left to the router (posicion.tsx), a hash to the browser; a form that answers in place moves nothing, nor does a
 * link that says so (`STILL`): every link of the site has `preventScrollReset`, so that does not tell them apart.
 */
export function useScrollOnNavigate(): void {
  const { key, pathname, hash, state } = useLocation()
  const type = useNavigationType()
  const before = useRef({ key, pathname })

  useLayoutEffect(() => {
    const { key: oldKey, pathname: oldPathname } = before.current
    before.current = { key, pathname }
    if (key === oldKey || type === 'POP' || hash !== '') return
    if (pathname === oldPathname && (type === 'REPLACE' || isStill(state))) return
    // In the new screen's first frame, before it is painted: asked at once, the browser would lay it out once more.
    requestAnimationFrame(() => {
      const still = matchMedia('(prefers-reduced-motion: reduce)').matches
      if (pathname !== oldPathname)
        scrollTo({ top: Math.min(scrollY, FROM_AT_MOST * innerHeight), behavior: 'instant' })
      scrollTo({ top: 0, behavior: still ? 'instant' : 'smooth' })
      const screen = document.getElementById('contenido')
      // A screen that says something at once has taken the focus to it already.
      if (pathname !== oldPathname && !screen?.contains(document.activeElement)) screen?.focus({ preventScroll: true })
    })
  }, [key, pathname, hash, state, type])
}
