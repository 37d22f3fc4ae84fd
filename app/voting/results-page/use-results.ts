import { useCallback, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import type { Results } from '#app/voting/sealing/schema.ts'
import type { Route } from './+types/results.page'

type LoaderData = Route.ComponentProps['loaderData']

/** Interval at which the data that are not live are reloaded. */
const RELOAD_MS = 60_000
/** Pause after a failure. */
const RETRY_MS = 3_000
/** After this time without an event, a proxy probably holds the stream back, and the results are requested instead. */
const MAX_SILENCE_MS = 10_000
const RESULTS_PATH = '/misspopularidad-resultados'

/**
 * Returns the screen's data, reloaded at intervals while the screen is visible and signed in. A fetcher requests the data, since
 * its failures do not affect the rest of the page.
 */
export function useReload(loaderData: LoaderData): { loaded: LoaderData; reload: () => void } {
  const { data: reloadedData, load } = useFetcher<LoaderData>()
  // The router reloads the loader's data after an action, and the fetcher at intervals: the newer data are shown. The state is
  // set during rendering, so that an action's result shows at once (react.dev/learn/you-might-not-need-an-effect).
  const [loaded, setLoaded] = useState(loaderData)
  const [previousData, setPreviousData] = useState({ loaderData, reloadedData })
  if (previousData.loaderData !== loaderData || previousData.reloadedData !== reloadedData) {
    setPreviousData({ loaderData, reloadedData })
    if (previousData.loaderData !== loaderData) setLoaded(loaderData)
    else if (reloadedData) setLoaded(reloadedData)
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
 * @param loadedResults undefined if they could not be read
 * @param reload reloads the results; called while the stream is silent
 * @returns the latest results, and the seconds since the last event: undefined before the first event, and from 30 seconds on
 */
export function useLiveResults(
  loadedResults: Results | undefined,
  reload: () => void,
): [Results | undefined, number | undefined] {
  const [results, setResults] = useState(loadedResults)
  const [previousResults, setPreviousResults] = useState(loadedResults)
  if (previousResults !== loadedResults) {
    setPreviousResults(loadedResults)
    if (loadedResults) setResults(loadedResults)
  }
  const [ageSeconds, setAgeSeconds] = useState<number>()
  useEffect(() => {
    let lastEventMs = 0
    let silentSinceMs = performance.now()
    let retryTimer: ReturnType<typeof setTimeout> | undefined
    let source: EventSource | undefined
    const open = () => {
      source = new EventSource(`${RESULTS_PATH}/vivo`)
      source.addEventListener('message', ({ data }) => {
        lastEventMs = silentSinceMs = performance.now()
        setAgeSeconds(0)
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
      if (lastEventMs === 0) return
      const seconds = Math.floor((performance.now() - lastEventMs) / 1_000)
      setAgeSeconds(seconds < 30 ? seconds : undefined)
    }, 1_000)
    return () => {
      source?.close()
      clearTimeout(retryTimer)
      clearInterval(timer)
    }
  }, [reload])
  return [results, ageSeconds]
}
