import { useEffect, useState } from 'react'
import { useNavigation } from 'react-router'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import styles from './loading-screen.module.css'

/** Delay before the logo appears, so that it does not flash at quick navigations. */
const APPEAR_AFTER_MS = 150

/** Shows the full-screen logo while a screen loads (§2.1). Forms show their own progress instead. */
export function NavigationLoadingScreen() {
  const { state, formData } = useNavigation()
  const isLoading = state === 'loading' && !formData
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isLoading) return
    const timer = setTimeout(() => setIsLate(true), APPEAR_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setIsLate(false)
    }
  }, [isLoading])
  if (!isLoading || !isLate) return null
  return (
    <div className={styles.loader} role="status">
      <Emblem className={styles.emblem} />
      <span className="visually-hidden">Cargando…</span>
    </div>
  )
}
