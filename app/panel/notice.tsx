import { useEffect, useRef, useState } from 'react'
import { Banner } from '#app/ui/components/banner.tsx'
import styles from './notice.module.css'

/** Shows the result of the last action, and takes the focus, so that screen readers read it. It goes when a form is found invalid. */
export function Notice({ outcome }: { outcome: { ok: boolean; message: string } }) {
  const { ok, message } = outcome
  const banner = useRef<HTMLDivElement>(null)
  const [dismissed, setDismissed] = useState<object>()
  // An equal result is a new object, so the notice takes the focus again.
  useEffect(() => {
    if (outcome) banner.current?.focus()
    const dismiss = () => setDismissed(outcome)
    // A form that the browser itself refuses is not sent, so no new result would replace the notice.
    document.addEventListener('invalid', dismiss, true)
    return () => document.removeEventListener('invalid', dismiss, true)
  }, [outcome])
  if (dismissed === outcome) return null
  return (
    <div className={styles.notice}>
      <Banner ref={banner} tone={ok ? 'good' : 'bad'} message={message} />
    </div>
  )
}
