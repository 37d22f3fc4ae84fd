import { useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './results.module.css'

/** An `Outcome` is the result of pressing one of the screen's buttons. */
export interface Outcome {
  /** The value of the button. */
  intent: string
  outcomeText: string
  failure?: string | undefined
}

/** Shows a result beside its button, and takes the focus, so that the result is in view. */
export function ButtonOutcome({ outcome, intents }: { outcome: Outcome | undefined; intents: readonly string[] }) {
  const banner = useRef<HTMLDivElement>(null)
  const ownOutcome = outcome && intents.includes(outcome.intent) ? outcome : undefined
  const isIdle = useNavigation().state === 'idle'
  // The focus waits for the reload after the action, which may push the banner out of view, and comes again with an equal
  // result.
  useEffect(() => {
    if (ownOutcome && isIdle) banner.current?.focus()
  }, [ownOutcome, isIdle])
  if (!ownOutcome) return null
  return (
    <div className={styles.said}>
      <Banner
        ref={banner}
        tone={ownOutcome.failure ? 'bad' : 'good'}
        message={ownOutcome.failure ?? ownOutcome.outcomeText}
      />
    </div>
  )
}
