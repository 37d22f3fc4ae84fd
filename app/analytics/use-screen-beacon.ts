import { useEffect, useRef } from 'react'
import { BEACON_PATH } from './schema.ts'

/** Reports a screen that the router opened without a document request. The server counts document requests itself. */
export function useScreenBeacon(pathname: string): void {
  const lastPathname = useRef(pathname)
  useEffect(() => {
    if (lastPathname.current === pathname) return
    lastPathname.current = pathname
    if (!pathname.startsWith('/organizadores')) navigator.sendBeacon?.(`${BEACON_PATH}?que=pantalla&cual=${pathname}`)
  }, [pathname])
}
