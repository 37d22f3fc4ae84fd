import { useEffect, useRef, useState } from 'react'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './outcome-notice.module.css'

/**
 * Shows the result of the last action, and takes the focus, so that screen readers read it. It disappears when the browser
 * finds a form invalid, since an unsent form brings no new result.
 */
export function OutcomeNotice({ outcome }: { outcome: { ok: boolean; message: string } }) {
  const { ok, message } = outcome
  const banner = useRef<HTMLDivElement>(null)
  const [dismissedOutcome, setDismissedOutcome] = useState<object>()
  // Each result is a new object, so an equal result takes the focus again.
  useEffect(() => {
    banner.current?.focus()
    const dismiss = () => setDismissedOutcome(outcome)
    document.addEventListener('invalid', dismiss, true)
    return () => document.removeEventListener('invalid', dismiss, true)
  }, [outcome])
  if (dismissedOutcome === outcome) return null
  return (
    <div className={styles.notice}>
      <Banner ref={banner} tone={ok ? 'good' : 'bad'} message={message} />
    </div>
  )
}
