import { useEffect, useState } from 'react'

/**
 * The site's time in a page that was rendered ahead, asked for once it is alive: whatever clock the device has.
 * @returns a clock that goes on from there; undefined until it is known
 */
export function useHora(): (() => Date) | undefined {
  const [clock, setClock] = useState<() => Date>()
  useEffect(() => {
    const asking = new AbortController()
    fetch('/hora', { signal: asking.signal })
      .then((answer) => answer.json() as Promise<{ ahora: string }>)
      .then(({ ahora }) => {
        const ahead = Date.parse(ahora) - performance.now()
        setClock(() => () => new Date(ahead + performance.now()))
      })
      // Nothing that needs the hour is worth an error: it just does not happen.
      .catch(() => {})
    return () => asking.abort()
  }, [])
  return clock
}
