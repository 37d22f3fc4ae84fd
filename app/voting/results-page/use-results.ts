import { useCallback, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import type { Results } from '#app/voting/sealing/schema.ts'
import type { Route } from './+types/results.page'

type LoaderData = Route.ComponentProps['loaderData']

/** Time between two reloads of the data that are not live. */
const RELOAD_MS = 60_000
/** Time until the next try after a failure. */
const RETRY_MS = 3_000
/** Without an event for this time, a proxy is assumed to hold the stream back, and the results are requested instead. */
const MAX_SILENCE_MS = 10_000
const RESULTS_PATH = '/misspopularidad-resultados'

/**
 * Returns the screen's data, reloaded at intervals. A fetcher requests them, so that a lost connection affects nothing else on
 * the page.
 */
export function useReload(loaderData: LoaderData): { loaded: LoaderData; reload: () => void } {
  const { data: reloaded, load } = useFetcher<LoaderData>()
  // The newer of loader data (reloaded by the router after an action) and fetcher data wins. The state is set while rendering, so
  // that an action's result shows at once (react.dev/learn/you-might-not-need-an-effect).
  const [loaded, setLoaded] = useState(loaderData)
  const [previous, setBefore] = useState({ loaderData, reloaded })
  if (previous.loaderData !== loaderData || previous.reloaded !== reloaded) {
    setBefore({ loaderData, reloaded })
    if (previous.loaderData !== loaderData) setLoaded(loaderData)
    else if (reloaded) setLoaded(reloaded)
  }
  const latestLoad = useRef(load)
  latestLoad.current = load
  const reload = useCallback(() => {
    if (document.visibilityState === 'visible') void latestLoad.current(RESULTS_PATH)
  }, [])
  const isSignedIn = loaded.loginWall === undefined
  const reloadMs = isSignedIn && !loaded.counted ? RETRY_MS : RELOAD_MS
  useEffect(() => {
    if (!isSignedIn) return
    const timer = setInterval(reload, reloadMs)
    return () => clearInterval(timer)
  }, [isSignedIn, reloadMs, reload])
  return { loaded, reload }
}

/**
 * Returns the results, updated by a stream of server-sent events.
 * @param first the loaded results; undefined if they could not be read
 * @param reload reloads the results; called while the stream is silent
 * @returns the latest results, and their age in seconds, which is undefined if they are not live
 */
export function useLiveResults(
  first: Results | undefined,
  reload: () => void,
): [Results | undefined, number | undefined] {
  const [results, setResults] = useState(first)
  const [previous, setBefore] = useState(first)
  if (previous !== first) {
    setBefore(first)
    if (first) setResults(first)
  }
  const [age, setAge] = useState<number>()
  useEffect(() => {
    let lastMs = 0
    let silentSinceMs = performance.now()
    let retryTimer: ReturnType<typeof setTimeout> | undefined
    let source: EventSource | undefined
    const open = () => {
      source = new EventSource(`${RESULTS_PATH}/vivo`)
      source.addEventListener('message', ({ data }) => {
        lastMs = silentSinceMs = performance.now()
        setAge(0)
        setResults(JSON.parse(data) as Results)
      })
      // EventSource reopens the stream after a lost connection, but not after an HTTP error.
      source.addEventListener('error', () => {
        if (source?.readyState === EventSource.CLOSED) retryTimer = setTimeout(open, RETRY_MS)
      })
    }
    open()
    const timer = setInterval(() => {
      if (performance.now() - silentSinceMs >= MAX_SILENCE_MS) {
        silentSinceMs = performance.now()
        reload()
      }
      if (lastMs === 0) return
      const seconds = Math.floor((performance.now() - lastMs) / 1_000)
      setAge(seconds < 30 ? seconds : undefined)
    }, 1_000)
    return () => {
      source?.close()
      clearTimeout(retryTimer)
      clearInterval(timer)
    }
  }, [reload])
  return [results, age]
}
