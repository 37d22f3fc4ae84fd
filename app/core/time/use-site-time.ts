import { useEffect, useState } from 'react'

/**
 * Fetches the site's time after hydration, since a prerendered page has no time and the device's clock may be wrong.
 * @returns a clock that runs on from the fetched time; undefined until the time has been fetched, and after a failure
 */
export function useSiteTime(): (() => Date) | undefined {
  const [clock, setClock] = useState<() => Date>()
  useEffect(() => {
    const controller = new AbortController()
    fetch('/hora', { signal: controller.signal })
      .then((response) => response.json() as Promise<{ ahora: string }>)
      .then(({ ahora: siteTime }) => {
        /** The site's time when `performance.now()` was 0. Unlike the device's clock, `performance.now()` is never set. */
        const originMs = Date.parse(siteTime) - performance.now()
        setClock(() => () => new Date(originMs + performance.now()))
      })
      // Without the site's time, features that depend on it are left out.
      .catch(() => {})
    return () => controller.abort()
  }, [])
  return clock
}
