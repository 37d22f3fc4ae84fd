import { useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import type { Route } from './+types/resultados.page'
import type { Resultados } from './schema.ts'

type Cargado = Route.ComponentProps['loaderData']

/** Everything but the live results is read again at this pace; what could not be read, sooner. */
const RELOAD_MS = 60_000
const RETRY_MS = 3_000

/**
 * The screen's data, read again now and then. A fetcher asks for this screen's data alone: a cut line then spoils
 * nothing else of the page.
 */
export function useRecarga(loaderData: Cargado): Cargado {
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
  const abierta = cargado.puerta === undefined
  const reloadMs = abierta && !cargado.contado ? RETRY_MS : RELOAD_MS
  useEffect(() => {
    if (!abierta) return
    const reload = setInterval(() => {
      if (document.visibilityState === 'visible') void reading.current('/misspopularidad-resultados')
    }, reloadMs)
    return () => clearInterval(reload)
  }, [abierta, reloadMs])
  return cargado
}

/**
 * Results as they come.
 * @param first the loaded results; undefined: they could not be read
 * @returns the last known, and how long ago they came, in seconds; undefined: not live
 */
export function useVivo(first: Resultados | undefined): [Resultados | undefined, number | undefined] {
  const [resultados, setResultados] = useState(first)
  const [before, setBefore] = useState(first)
  if (before !== first) {
    setBefore(first)
    if (first) setResultados(first)
  }
  const [age, setAge] = useState<number>()
  useEffect(() => {
    let lastMs = 0
    let again: ReturnType<typeof setTimeout> | undefined
    let source: EventSource | undefined
    const open = () => {
      source = new EventSource('/misspopularidad-resultados/vivo')
      source.addEventListener('message', ({ data }) => {
        lastMs = performance.now()
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
      if (lastMs === 0) return
      const seconds = Math.floor((performance.now() - lastMs) / 1_000)
      setAge(seconds < 30 ? seconds : undefined)
    }, 1_000)
    return () => {
      source?.close()
      clearTimeout(again)
      clearInterval(clock)
    }
  }, [])
  return [resultados, age]
}
