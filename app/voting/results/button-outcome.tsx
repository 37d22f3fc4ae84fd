import { useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'
import { Banner } from '#app/ui/primitives/banner.tsx'
import styles from './results.module.css'

/** What came of a press on one of the screen's buttons. */
export interface Outcome {
  /** The value of the button. */
  hacer: string
  hecho: string
  falla?: string | undefined
}

/** Says beside a button what came of its press, and takes the focus, so that it is in sight. */
export function ButtonOutcome({ dicho, de }: { dicho: Outcome | undefined; de: readonly string[] }) {
  const banner = useRef<HTMLDivElement>(null)
  const own = dicho && de.includes(dicho.hacer) ? dicho : undefined
  const isThere = useNavigation().state === 'idle'
  // What is loaded anew with an outcome may push it out of sight, so that the focus waits for that; it comes anew
  // when the same outcome comes again.
  useEffect(() => {
    if (own && isThere) banner.current?.focus()
  }, [own, isThere])
  if (!own) return null
  return (
    <div className={styles.dicho}>
      <Banner ref={banner} tone={own.falla ? 'bad' : 'good'} message={own.falla ?? own.hecho} />
    </div>
  )
}
