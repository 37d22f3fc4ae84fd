import { useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './results.module.css'

export interface IntentOutcome {
  /** Value of the button. */
  intent: string
  /** Empty after a failure. */
  successText: string
  failure?: string | undefined
}

/**
 * Shows the outcome of one of the `intents` beside the buttons, and takes the focus, so that it is in view. Renders nothing for
 * an outcome of another button.
 */
export function ButtonOutcome({
  outcome,
  intents,
}: {
  outcome: IntentOutcome | undefined
  intents: readonly string[]
}) {
  const banner = useRef<HTMLDivElement>(null)
  const ownOutcome = outcome && intents.includes(outcome.intent) ? outcome : undefined
  const isIdle = useNavigation().state === 'idle'
  // The reload after the action may push the banner out of view, so it takes the focus afterwards.
  useEffect(() => {
    if (ownOutcome && isIdle) banner.current?.focus()
  }, [ownOutcome, isIdle])
  if (!ownOutcome) return null
  return (
    <div className={styles.outcome}>
      <Banner
        ref={banner}
        tone={ownOutcome.failure ? 'bad' : 'good'}
        message={ownOutcome.failure ?? ownOutcome.successText}
      />
    </div>
  )
}
