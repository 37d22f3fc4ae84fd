import { useEffect, useRef } from 'react'
import { Banner } from '#app/ui/banner.tsx'
import styles from './resultados.module.css'

/** What came of what was just done. */
export interface Desenlace {
  /** The button's own value. */
  hacer: string
  hecho: string
  falla?: string | undefined
}

/** What came of what was just done, beside the button that did it; takes the focus, so that it is in sight. */
export function Dicho({ dicho, de }: { dicho: Desenlace | undefined; de: readonly string[] }) {
  const banner = useRef<HTMLDivElement>(null)
  const own = dicho && de.includes(dicho.hacer) ? dicho : undefined
  // Also when the same comes of it again.
  useEffect(() => {
    if (own) banner.current?.focus()
  }, [own])
  if (!own) return null
  return (
    <div className={styles.dicho}>
      <Banner ref={banner} tone={own.falla ? 'bad' : 'good'} message={own.falla ?? own.hecho} />
    </div>
  )
}
