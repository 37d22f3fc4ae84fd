import { useEffect, useRef } from 'react'
import { Banner } from '#app/ui/banner.tsx'
import styles from './aviso.module.css'

/** What came of what was just done; takes the focus, so that it is read. */
export function Aviso({ ok, mensaje }: { ok: boolean; mensaje: string }) {
  const banner = useRef<HTMLDivElement>(null)
  useEffect(() => banner.current?.focus(), [ok, mensaje])
  return (
    <div className={styles.aviso}>
      <Banner ref={banner} tone={ok ? 'good' : 'bad'} message={mensaje} />
    </div>
  )
}
