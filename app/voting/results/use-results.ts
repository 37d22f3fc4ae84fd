import { useCallback, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import type { Resultados } from '#app/voting/tally/schema.ts'
import type { Route } from './+types/results.page'

type Cargado = Route.ComponentProps['loaderData']

/** Everything but the live results is read again at this pace; what could not be read, sooner. */
const RELOAD_MS = 60_000
const RETRY_MS = 3_000
/** A stream that brings nothing for so long is held back by something on the way: the results are asked for instead. */
const SILENT_MS = 10_000
const RESULTADOS = '/misspopularidad-resultados'

/**
 * The screen's data, read again now and then. A fetcher asks for this screen's data alone: a cut line then spoils
 * nothing else of the page.
 */
export function useRecarga(loaderData: Cargado): { cargado: Cargado; recarga: () => void } {
  const { data: recargado, load } = useFetcher<Cargado>()
  // The newer of both wins: after an action the router reads the loader's data again. It is taken while rendering, since
  // what was done is shown, and looked at, in the same turn.
  const [cargado, setCargado] = useState(loaderData)
  const [before, setBefore] = useState({ loaderData, recargado })
  if (before.loaderData !== loaderData || before.recargado !== recargado) {
    setBefore({ loaderData, recargado })
    if (before.loaderData !== loaderData) setCargado(loaderData)
    else if (recargado) setCargado(recargado)
  }
  const reading = useRef(load)
  reading.current = load
  const recarga = useCallback(() => {
    if (document.visibilityState === 'visible') void reading.current(RESULTADOS)
  }, [])
  const abierta = cargado.puerta === undefined
  const reloadMs = abierta && !cargado.contado ? RETRY_MS : RELOAD_MS
  useEffect(() => {
    if (!abierta) return
    const reload = setInterval(recarga, reloadMs)
    return () => clearInterval(reload)
  }, [abierta, reloadMs, recarga])
  return { cargado, recarga }
}

/**
 * Results as they come.
 * @param first the loaded results; undefined: they could not be read
 * @param ask loads them, where none come by themselves
 * @returns the last known, and how long ago they came, in seconds; undefined: not live
 */
export function useVivo(first: Resultados | undefined, ask: () => void): [Resultados | undefined, number | undefined] {
  const [resultados, setResultados] = useState(first)
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
      source = new EventSource(`${RESULTADOS}/vivo`)
      source.addEventListener('message', ({ data }) => {
        lastMs = silentSinceMs = performance.now()
        setAge(0)
        setResultados(JSON.parse(data) as Resultados)
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
  return [resultados, age]
}
