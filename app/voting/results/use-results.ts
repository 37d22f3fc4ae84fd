import { useCallback, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import type { Results } from '#app/voting/tally/schema.ts'
import type { Route } from './+types/results.page'

type LoaderData = Route.ComponentProps['loaderData']

/** Everything but the live results is read again at this pace; what could not be read, sooner. */
const RELOAD_MS = 60_000
const RETRY_MS = 3_000
/** A stream that brings nothing for so long is held back by something on the way: the results are asked for instead. */
const SILENT_MS = 10_000
const RESULTS_PATH = '/misspopularidad-resultados'

/**
 * The screen's data, read again now and then. A fetcher asks for this screen's data alone: a cut line then spoils
 * nothing else of the page.
 */
export function useReload(loaderData: LoaderData): { cargado: LoaderData; recarga: () => void } {
  const { data: reloaded, load } = useFetcher<LoaderData>()
  // The newer of both wins: after an action the router reads the loader's data again. It is taken while rendering, since
  // what was done is shown, and looked at, in the same turn.
  const [cargado, setCargado] = useState(loaderData)
  const [before, setBefore] = useState({ loaderData, recargado: reloaded })
  if (before.loaderData !== loaderData || before.recargado !== reloaded) {
    setBefore({ loaderData, recargado: reloaded })
    if (before.loaderData !== loaderData) setCargado(loaderData)
    else if (reloaded) setCargado(reloaded)
  }
  const reading = useRef(load)
  reading.current = load
  const refresh = useCallback(() => {
    if (document.visibilityState === 'visible') void reading.current(RESULTS_PATH)
  }, [])
  const opened = cargado.puerta === undefined
  const reloadMs = opened && !cargado.contado ? RETRY_MS : RELOAD_MS
  useEffect(() => {
    if (!opened) return
    const reload = setInterval(refresh, reloadMs)
    return () => clearInterval(reload)
  }, [opened, reloadMs, refresh])
  return { cargado, recarga: refresh }
}

/**
 * Results as they come.
 * @param first the loaded results; undefined: they could not be read
 * @param ask loads them, where none come by themselves
 * @returns the last known, and how long ago they came, in seconds; undefined: not live
 */
export function useVivo(first: Results | undefined, ask: () => void): [Results | undefined, number | undefined] {
  const [results, setResultados] = useState(first)
  const [before, setBefore] = useState(first)
  if (before !== first) {
    setBefore(first)
    if (first) setResultados(first)
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
        setResultados(JSON.parse(data) as Results)
      })
      // After a cut line the browser opens the stream again by itself; after an answer that is a fault, it does not.
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
