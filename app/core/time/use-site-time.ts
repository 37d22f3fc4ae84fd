import { useEffect, useState } from 'react'

/**
 * The site's time in a prerendered page, independent of the device's clock. It is asked for after hydration.
 * @returns a clock that runs on from the answer; undefined until the answer is there
 */
export function useSiteTime(): (() => Date) | undefined {
  const [clock, setClock] = useState<() => Date>()
  useEffect(() => {
    const asking = new AbortController()
    fetch('/hora', { signal: asking.signal })
      .then((answer) => answer.json() as Promise<{ ahora: string }>)
      .then(({ ahora }) => {
        const ahead = Date.parse(ahora) - performance.now()
        setClock(() => () => new Date(ahead + performance.now()))
      })
      // Without the answer, features that depend on the hour do not happen: none of them is worth an error.
      .catch(() => {})
    return () => asking.abort()
  }, [])
  return clock
}
