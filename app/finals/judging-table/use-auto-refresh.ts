import { useEffect } from 'react'
import { useRevalidator } from 'react-router'

const REFRESH_INTERVAL_MS = 3_000

export function useAutoRefresh() {
  const { state, revalidate } = useRevalidator()
  useEffect(() => {
    const timer = setInterval(() => {
      if (state === 'idle' && document.visibilityState === 'visible') void revalidate()
    }, REFRESH_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [state, revalidate])
}
