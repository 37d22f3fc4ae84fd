import type { ComponentProps } from 'react'
import { useNavigation } from 'react-router'
import { Emblema } from '#app/ui/emblema.tsx'
import styles from './cargador.module.css'

/**
 * The full-screen logo while a screen is on its way (§2.1). It waits 150 ms before it shows, so that a quick change
 * does not flash, and never covers a first paint. Forms show their own progress.
 */
export function Cargador() {
  const { state, formData } = useNavigation()
  if (state !== 'loading' || formData) return null
  return <PantallaDeCarga />
}

export const PantallaDeCarga = (props: ComponentProps<'div'>) => (
  <div {...props} className={styles.cargador} role="status">
    <Emblema className={styles.emblema} />
    <span className="solo-lectores">Cargando…</span>
  </div>
)
