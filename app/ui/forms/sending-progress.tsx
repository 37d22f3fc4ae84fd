import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { formatSize, Progress, percent } from './progress.tsx'
import styles from './sending-progress.module.css'

interface SendingProgressProps {
  label: string
  /** Bytes sent so far, and bytes in total. */
  sent: number
  total: number
  /** Why the upload stands still, in Spanish; undefined while it moves. */
  delayText: string | undefined
  onStop(): void
  className?: string | undefined
}

/** Progress of an upload, with the reason of a delay and a button that stops the upload. */
export const SendingProgress = ({ label, sent, total, delayText, onStop, className }: SendingProgressProps) => {
  const part = total === 0 ? 1 : sent / total
  return (
    <div className={joinClasses(styles.sending, className)}>
      <Progress label={label} value={part} size="wide" />
      <p className={styles.figures}>
        <span>
          {formatSize(sent)} de {formatSize(total)}
        </span>
        <span>{percent(part)}</span>
      </p>
      <p className={styles.waiting} aria-live="polite">
        {delayText ?? ''}
      </p>
      <Button className={styles.stop} look="quiet" onClick={onStop}>
        Detener
      </Button>
    </div>
  )
}
