import { useEffect, useState } from 'react'
import { useSiteTime } from '#app/core/time/use-site-time.ts'
import { timeLeft } from '#app/voting/election/rules.ts'
import styles from './countdown.module.css'

/** @source §9 */
const REFRESH_MS = 30_000

interface Props {
  closing: string
  /** The closing in Spanish words. */
  closingText: string
  /** The server's time when the page was rendered, ISO. */
  serverNow: string
  /** Called when the closing passes while the page is open. */
  onExpired: () => void
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** The time left to vote, by the server's clock instead of the device's. */
export function Countdown({ closing, closingText, serverNow, onExpired }: Props) {
  const clock = useSiteTime()
  const [now, setNow] = useState(() => new Date(serverNow))
  useEffect(() => {
    if (!clock) return
    const tick = () => {
      setNow(clock())
      if (timeLeft(closing, clock()).vencida) onExpired()
    }
    tick()
    const timer = setInterval(tick, REFRESH_MS)
    return () => clearInterval(timer)
  }, [clock, closing, onExpired])
  const { dias, horas, minutos, vencida } = timeLeft(closing, now)
  const isLastMinute = !vencida && dias + horas + minutos === 0
  return (
    <div className={styles.account}>
      <div role="timer" aria-label="Tiempo para votar" className={styles.numbers}>
        {(
          [
            [dias, dias === 1 ? 'día' : 'días'],
            [horas, horas === 1 ? 'hora' : 'horas'],
            [minutos, minutos === 1 ? 'minuto' : 'minutos'],
          ] as const
        ).map(([value, unit]) => (
          <p key={unit[0]}>
            <b>{twoDigits(value)}</b> <span>{unit}</span>
          </p>
        ))}
      </div>
      <p className={styles.until}>
        {isLastMinute && <strong>Queda menos de un minuto.</strong>}
        {vencida ? 'La votación ya cerró.' : `Cierra el ${closingText}`}
      </p>
    </div>
  )
}
