import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { formatSize, Progress, percent } from './progress.tsx'
import styles from './sending-progress.module.css'

export interface SendingProgressProps {
  label: string
  /** The bytes sent so far, and the bytes in total. */
  sent: number
  total: number
  /** The text says in Spanish why the upload stands still; undefined while it moves. */
  waitText: string | undefined
  /** An estimate in Spanish of the rest; undefined while it is unknown. */
  timeLeft?: string | undefined
  onStop(): void
  className?: string | undefined
}

/** Shows the progress of an upload, with an estimate of the rest or the reason of a delay, and a button that stops the upload. */
export function SendingProgress({ label, sent, total, waitText, timeLeft, onStop, className }: SendingProgressProps) {
  const part = total === 0 ? 1 : sent / total
  return (
    <div className={joinClasses(styles.sending, className)}>
      <Progress label={label} value={part} size="wide" />
      <p className={styles.figures}>
        <span>
          {formatSize(sent)} de {formatSize(total)}
          {timeLeft && `, ${timeLeft}`}
        </span>
        <span>{percent(part)}</span>
      </p>
      <p className={styles.waiting} aria-live="polite">
        {waitText ?? ''}
      </p>
      <Button look="quiet" onClick={onStop}>
        Detener
      </Button>
    </div>
  )
}
