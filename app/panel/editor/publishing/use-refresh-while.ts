import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

const REFRESH_INTERVAL_MS = 700

export const PREPARING_MESSAGE = 'Publicando… Quien visita el sitio lo ve en unos segundos.'

/** Loads the screen's data again and again while a publication is being prepared. */
export function useRefreshWhile(isPreparing: boolean): void {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (!isPreparing) return
    const timer = setInterval(revalidate, REFRESH_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isPreparing, revalidate])
}
