import { useEffect, useState } from 'react'

/**
 * Asks for the site's time after hydration, since a prerendered page has no clock and the device's may be wrong.
 * @returns a clock that runs on from the answer; undefined until the answer is there, and without one
 */
export function useSiteTime(): (() => Date) | undefined {
  const [clock, setClock] = useState<() => Date>()
  useEffect(() => {
    const controller = new AbortController()
    fetch('/hora', { signal: controller.signal })
      .then((answer) => answer.json() as Promise<{ ahora: string }>)
      .then(({ ahora: siteTime }) => {
        const offsetMs = Date.parse(siteTime) - performance.now()
        setClock(() => () => new Date(offsetMs + performance.now()))
      })
      // Without the answer, features that depend on the hour do not happen: none of them is worth an error.
      .catch(() => {})
    return () => controller.abort()
  }, [])
  return clock
}
