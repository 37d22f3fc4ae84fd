import { useEffect, useRef } from 'react'
import { BEACON_PATH } from './schema.ts'

/**
 * Reports a screen outside the panel that the router opened without requesting a document. The server itself counts documents that
 * it serves from memory (`countScreen`).
 */
export function useScreenBeacon(pathname: string): void {
  const lastPathname = useRef(pathname)
  useEffect(() => {
    if (lastPathname.current === pathname) return
    lastPathname.current = pathname
    if (!pathname.startsWith('/organizadores')) navigator.sendBeacon?.(`${BEACON_PATH}?que=pantalla&cual=${pathname}`)
  }, [pathname])
}
