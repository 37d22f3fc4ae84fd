import { Button } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { formatSize, Progress, percent } from './progress.tsx'
import styles from './sending-progress.module.css'

interface SendingProgressProps {
  label: string
  /** Bytes that have left, and bytes in all. */
  sent: number
  total: number
  /** Why nothing moves, in words. */
  espera: string | undefined
  onStop(): void
  className?: string | undefined
}

/** How far what is being sent is, why it waits, and a way to stop it. */
export const SendingProgress = ({ label, sent, total, espera, onStop, className }: SendingProgressProps) => {
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
        {espera ?? ''}
      </p>
      <Button className={styles.stop} look="quiet" onClick={onStop}>
        Detener
      </Button>
    </div>
  )
}
