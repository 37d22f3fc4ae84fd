import { useEffect, useRef } from 'react'
import { BEACON_PATH } from './schema.ts'

/** Reports a screen that was reached without a document request, by the router. */
export function useScreenBeacon(pathname: string): void {
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    if (!pathname.startsWith('/organizadores')) navigator.sendBeacon?.(`${BEACON_PATH}?que=pantalla&cual=${pathname}`)
  }, [pathname])
}
