import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

const REFRESH_INTERVAL_MS = 700

export const PREPARING_MESSAGE = 'Publicando… Quien visita el sitio lo ve en unos segundos.'

/**
 * Loads the screen's data again and again while a publication is being prepared. Each load waits for the one before, which a new
 * one would abort: on a slow connection no load would ever end.
 */
export function useRefreshWhile(isPreparing: boolean): void {
  const { revalidate, state } = useRevalidator()
  useEffect(() => {
    if (!isPreparing || state !== 'idle') return
    const timer = setTimeout(revalidate, REFRESH_INTERVAL_MS)
    return () => clearTimeout(timer)
  }, [isPreparing, state, revalidate])
}
