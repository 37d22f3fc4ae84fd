import { useEffect, useState } from 'react'

/**
 * The site's time in a page that was rendered ahead, whatever the device's clock says. It is asked for once the page is
 * alive.
 * @returns a clock that goes on from the answer; undefined until there is one
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
      // Without the hour, what depends on it just does not happen: nothing of that is worth an error.
      .catch(() => {})
    return () => asking.abort()
  }, [])
  return clock
}
