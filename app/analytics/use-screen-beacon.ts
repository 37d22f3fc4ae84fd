import { useEffect, useRef } from 'react'
import { VISTO } from './schema.ts'

/** Tells the site of a screen that was reached within it, for which no document is asked for. */
export function useVisto(pathname: string): void {
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    if (!pathname.startsWith('/organizadores')) navigator.sendBeacon?.(`${VISTO}?que=pantalla&cual=${pathname}`)
  }, [pathname])
}
