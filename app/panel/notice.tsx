import { useEffect, useRef, useState } from 'react'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './notice.module.css'

/** Result of the last action. It takes the focus, so that screen readers read it, and goes with the next attempt. */
export function Notice({ outcome }: { outcome: { ok: boolean; mensaje: string } }) {
  const { ok, mensaje } = outcome
  const banner = useRef<HTMLDivElement>(null)
  const [gone, setGone] = useState<object>()
  // An equal result is a new object, so it takes the focus again.
  useEffect(() => {
    if (outcome) banner.current?.focus()
    const go = () => setGone(outcome)
    // A form that the browser itself refuses is not sent, so no new result would replace this one.
    document.addEventListener('invalid', go, true)
    return () => document.removeEventListener('invalid', go, true)
  }, [outcome])
  if (gone === outcome) return null
  return (
    <div className={styles.notice}>
      <Banner ref={banner} tone={ok ? 'good' : 'bad'} message={mensaje} />
    </div>
  )
}
