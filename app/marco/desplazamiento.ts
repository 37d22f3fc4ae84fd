import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/**
 * Each change of screen scrolls smoothly to the top (§2.1) and hands the focus to the new screen. Back and Forward are
 * left to the router's ScrollRestoration, a hash to the browser; a form that answers in place moves nothing.
 */
export function useDesplazamiento(): void {
  const { key, pathname, hash } = useLocation()
  const type = useNavigationType()
  const before = useRef({ key, pathname })

  useEffect(() => {
    const { key: oldKey, pathname: oldPathname } = before.current
    before.current = { key, pathname }
    if (key === oldKey || type === 'POP' || hash !== '') return
    if (type === 'REPLACE' && pathname === oldPathname) return
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    scrollTo({ top: 0, behavior: still ? 'instant' : 'smooth' })
    if (pathname !== oldPathname) document.getElementById('contenido')?.focus({ preventScroll: true })
  }, [key, pathname, hash, type])
}
