import { useEffect, useRef } from 'react'
import { BEACON_PATH } from './schema.ts'

/** Tells the site of a screen that was reached within it, for which no document is asked for. */
export function useScreenBeacon(pathname: string): void {
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    if (!pathname.startsWith('/organizadores')) navigator.sendBeacon?.(`${BEACON_PATH}?que=pantalla&cual=${pathname}`)
  }, [pathname])
}
