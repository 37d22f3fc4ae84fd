import { useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './results.module.css'

/** What came of pressing one of the screen's buttons. */
export interface Outcome {
  /** Value of the button. */
  intent: string
  outcomeText: string
  failure?: string | undefined
}

/** Shows an outcome beside its button, and takes the focus, so that it is in view. */
export function ButtonOutcome({ outcome, intents }: { outcome: Outcome | undefined; intents: readonly string[] }) {
  const banner = useRef<HTMLDivElement>(null)
  const ownOutcome = outcome && intents.includes(outcome.intent) ? outcome : undefined
  const isIdle = useNavigation().state === 'idle'
  // The focus waits for the reload after the action, which may push the banner out of view.
  useEffect(() => {
    if (ownOutcome && isIdle) banner.current?.focus()
  }, [ownOutcome, isIdle])
  if (!ownOutcome) return null
  return (
    <div className={styles.outcome}>
      <Banner
        ref={banner}
        tone={ownOutcome.failure ? 'bad' : 'good'}
        message={ownOutcome.failure ?? ownOutcome.outcomeText}
      />
    </div>
  )
}
