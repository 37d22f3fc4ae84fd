import { useEffect, useState } from 'react'
import { useSiteTime } from '#app/core/time/use-site-time.ts'
import { timeLeft } from '#app/voting/election/rules.ts'
import styles from './countdown.module.css'

/** @source §9 */
const REFRESH_MS = 30_000

interface Props {
  countdown: {
    /** Opening or closing of the vote, in ISO 8601. */
    until: string
    label: string
    /** Spanish sentence that states the moment. */
    text: string
    /** Replaces `text` once the moment has passed. */
    passedText: string
  }
  /** Server's time at the rendering, in ISO 8601. */
  serverNow: string
  /** Is called at each refresh once the moment has passed. */
  onExpired: () => void
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Renders the time until the vote opens or closes, by the server's clock. */
export function Countdown({ countdown: { until, label, text, passedText }, serverNow, onExpired }: Props) {
  const clock = useSiteTime()
  const [now, setNow] = useState(() => new Date(serverNow))
  useEffect(() => {
    if (!clock) return
    const tick = () => {
      setNow(clock())
      if (timeLeft(until, clock()).hasPassed) onExpired()
    }
    tick()
    const timer = setInterval(tick, REFRESH_MS)
    return () => clearInterval(timer)
  }, [clock, until, onExpired])
  const { days, hours, minutes, hasPassed } = timeLeft(until, now)
  const isLastMinute = !hasPassed && days + hours + minutes === 0
  return (
    <div className={styles.countdown}>
      <div role="timer" aria-label={label} className={styles.numbers}>
        {(
          [
            [days, days === 1 ? 'día' : 'días'],
            [hours, hours === 1 ? 'hora' : 'horas'],
            [minutes, minutes === 1 ? 'minuto' : 'minutos'],
          ] as const
        ).map(([value, unit]) => (
          <p key={unit[0]}>
            <b>{twoDigits(value)}</b> <span>{unit}</span>
          </p>
        ))}
      </div>
      <p className={styles.momentText}>
        {isLastMinute && <strong>Queda menos de un minuto.</strong>}
        {hasPassed ? passedText : text}
      </p>
    </div>
  )
}
