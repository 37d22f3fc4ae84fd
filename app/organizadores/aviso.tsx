import { useEffect, useRef } from 'react'
import { Banner } from '#app/ui/banner.tsx'
import styles from './aviso.module.css'

/** What came of what was just done; takes the focus, so that it is read. */
export function Aviso({ hecho }: { hecho: { ok: boolean; mensaje: string } }) {
  const { ok, mensaje } = hecho
  const banner = useRef<HTMLDivElement>(null)
  // Also when the same comes of it again.
  useEffect(() => {
    if (hecho) banner.current?.focus()
  }, [hecho])
  return (
    <div className={styles.aviso}>
      <Banner ref={banner} tone={ok ? 'good' : 'bad'} message={mensaje} />
    </div>
  )
}
