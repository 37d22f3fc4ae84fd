import { Button } from '#app/ui/components/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { formatPercent, formatSize, Progress } from './progress.tsx'
import styles from './sending-progress.module.css'

export interface SendingProgressProps {
  label: string
  sentBytes: number
  totalBytes: number
  /** Reason in Spanish why the upload waits; undefined while it goes on. */
  waitText: string | undefined
  /** Estimate of the time left, in Spanish; undefined while it is unknown. */
  timeLeft?: string | undefined
  onStop(): void
  className?: string | undefined
}

/** Renders the progress of an upload, with an estimate of the time left or the reason of a delay, and a button that stops it. */
export function SendingProgress({
  label,
  sentBytes,
  totalBytes,
  waitText,
  timeLeft,
  onStop,
  className,
}: SendingProgressProps) {
  const share = totalBytes === 0 ? 1 : sentBytes / totalBytes
  return (
    <div className={joinClasses(styles.sending, className)}>
      <Progress label={label} value={share} size="wide" />
      <p className={styles.figures}>
        <span>
          {formatSize(sentBytes)} de {formatSize(totalBytes)}
          {timeLeft && `, ${timeLeft}`}
        </span>
        <span>{formatPercent(share)}</span>
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
