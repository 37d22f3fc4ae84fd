import { useEffect, useRef, useState } from 'react'
import { Banner } from '#app/ui/primitives/banner.tsx'
import styles from './notice.module.css'

/** What came of what was just done; takes the focus, so that it is read, and goes as soon as something else is tried. */
export function Aviso({ hecho }: { hecho: { ok: boolean; mensaje: string } }) {
  const { ok, mensaje } = hecho
  const banner = useRef<HTMLDivElement>(null)
  const [gone, setGone] = useState<object>()
  // Also when the same comes of it again.
  useEffect(() => {
    if (hecho) banner.current?.focus()
    const go = () => setGone(hecho)
    // What the browser itself refuses is not sent, and answered by nobody.
    document.addEventListener('invalid', go, true)
    return () => document.removeEventListener('invalid', go, true)
  }, [hecho])
  if (gone === hecho) return null
  return (
    <div className={styles.aviso}>
      <Banner ref={banner} tone={ok ? 'good' : 'bad'} message={mensaje} />
    </div>
  )
}
