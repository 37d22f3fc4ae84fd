import { useCallback, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import type { Results } from '#app/voting/sealing/schema.ts'
import type { Route } from './+types/results.page'

type LoaderData = Route.ComponentProps['loaderData']

/** All data but the live results are reloaded after these milliseconds: after a success, and after a failure. */
const RELOAD_MS = 60_000
const RETRY_MS = 3_000
/**
 * After this many milliseconds without an event a proxy is assumed to hold the stream back, and the results are requested
 * instead.
 */
const SILENT_MS = 10_000
const RESULTS_PATH = '/misspopularidad-resultados'

/**
 * Returns the screen's data, reloaded at intervals. A fetcher requests the data of this screen alone, so that a lost connection
 * spoils nothing else on the page.
 */
export function useReload(loaderData: LoaderData): { loaded: LoaderData; reload: () => void } {
  const { data: reloaded, load } = useFetcher<LoaderData>()
  // The newer of loader and fetcher data wins, since the router reloads the former after an action. The state is set while
  // rendering, so that an action's result shows at once (react.dev/learn/you-might-not-need-an-effect).
  const [loaded, setLoaded] = useState(loaderData)
  const [before, setBefore] = useState({ loaderData, reloaded })
  if (before.loaderData !== loaderData || before.reloaded !== reloaded) {
    setBefore({ loaderData, reloaded })
    if (before.loaderData !== loaderData) setLoaded(loaderData)
    else if (reloaded) setLoaded(reloaded)
  }
  const reading = useRef(load)
  reading.current = load
  const refresh = useCallback(() => {
    if (document.visibilityState === 'visible') void reading.current(RESULTS_PATH)
  }, [])
  const opened = loaded.loginWall === undefined
  const reloadMs = opened && !loaded.counted ? RETRY_MS : RELOAD_MS
  useEffect(() => {
    if (!opened) return
    const reload = setInterval(refresh, reloadMs)
    return () => clearInterval(reload)
  }, [opened, reloadMs, refresh])
  return { loaded, reload: refresh }
}

/**
 * Returns live results.
 * @param first the loaded results; undefined: they could not be read
 * @param ask requests the results while the stream is silent
 * @returns the latest results, and their age in seconds; undefined: not live
 */
export function useLiveResults(first: Results | undefined, ask: () => void): [Results | undefined, number | undefined] {
  const [results, setResults] = useState(first)
  const [before, setBefore] = useState(first)
  if (before !== first) {
    setBefore(first)
    if (first) setResults(first)
  }
  const [age, setAge] = useState<number>()
  useEffect(() => {
    let lastMs = 0
    let silentSinceMs = performance.now()
    let again: ReturnType<typeof setTimeout> | undefined
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
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, RETRY_MS)
      })
    }
    open()
    const clock = setInterval(() => {
      if (performance.now() - silentSinceMs >= SILENT_MS) {
        silentSinceMs = performance.now()
        ask()
      }
      if (lastMs === 0) return
      const seconds = Math.floor((performance.now() - lastMs) / 1_000)
      setAge(seconds < 30 ? seconds : undefined)
    }, 1_000)
    return () => {
      source?.close()
      clearTimeout(again)
      clearInterval(clock)
    }
  }, [ask])
  return [results, age]
}
