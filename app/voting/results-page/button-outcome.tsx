import { useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './results.module.css'

/** The result of pressing one of the screen's buttons. */
export interface Outcome {
  /** The value of the button. */
  hacer: string
  hecho: string
  falla?: string | undefined
}

/** Shows a result beside its button, and takes the focus, so that the result is in view. */
export function ButtonOutcome({ outcome, intents }: { outcome: Outcome | undefined; intents: readonly string[] }) {
  const banner = useRef<HTMLDivElement>(null)
  const own = outcome && intents.includes(outcome.hacer) ? outcome : undefined
  const isThere = useNavigation().state === 'idle'
  // The focus waits for the reload after the action, which may push the banner out of view, and comes again with an equal
  // result.
  useEffect(() => {
    if (own && isThere) banner.current?.focus()
  }, [own, isThere])
  if (!own) return null
  return (
    <div className={styles.said}>
      <Banner ref={banner} tone={own.falla ? 'bad' : 'good'} message={own.falla ?? own.hecho} />
    </div>
  )
}
