import { useEffect, useState } from 'react'

/**
 * Fetches the site's time after hydration, since a prerendered page has no time and the device's clock may be wrong.
 * @returns a clock that runs on from the fetched time; undefined until it has been fetched, and after a failure
 */
export function useSiteTime(): (() => Date) | undefined {
  const [clock, setClock] = useState<() => Date>()
  useEffect(() => {
    const controller = new AbortController()
    fetch('/hora', { signal: controller.signal })
      .then((response) => response.json() as Promise<{ ahora: string }>)
      .then(({ ahora: siteTime }) => {
        const offsetMs = Date.parse(siteTime) - performance.now()
        setClock(() => () => new Date(offsetMs + performance.now()))
      })
      // Without the site's time, features that depend on it are left out; none of them is worth an error.
      .catch(() => {})
    return () => controller.abort()
  }, [])
  return clock
}
