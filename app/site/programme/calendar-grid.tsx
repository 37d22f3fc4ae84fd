import { useEffect, useRef } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './calendar-grid.module.css'

const WEEKDAYS = ['L', 'M', 'M', 'J', 'V', 'S', 'D']

interface Props {
  /** Weekday of the first day, 1 (Monday) to 7. */
  firstWeekday: number
  dates: string[]
  days: readonly {
    fecha: string
    weekday: string
    day: number
    month: string
    eventos: readonly { isFinal: boolean }[]
  }[]
  today: string | undefined
  /** Is called before the page jumps to a day. */
  onDaySelect: (date: string) => void
}

/** Renders the fair's days, each linked to its events: as a sheet of a calendar, on phones as a strip that stays in view. */
export function CalendarGrid({ firstWeekday, dates, days, today, onDaySelect }: Props) {
  const strip = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const link = strip.current?.querySelector<HTMLElement>('[aria-current]')
    if (link) strip.current!.scrollLeft = link.offsetLeft - (strip.current!.clientWidth - link.offsetWidth) / 2
  }, [today])
  return (
    <nav className={styles.calendar} aria-label="Días de la feria">
      <ol ref={strip}>
        {WEEKDAYS.map((letter, index) => (
          <li key={`${letter}${index + 1}`} className={styles.weekday} aria-hidden="true">
            {letter}
          </li>
        ))}
        {dates.map((date, index) => {
          const day = days.find(({ fecha }) => fecha === date)
          const number = Number(date.slice(8))
          return (
            <li key={date} data-column={index === 0 ? firstWeekday : undefined}>
              {day ? (
                <a
                  href={`#dia-${date}`}
                  data-weekday={day.weekday.slice(0, 3)}
                  onClick={() => onDaySelect(date)}
                  className={joinClasses(
                    date === today && styles.today,
                    today !== undefined && date < today && styles.past,
                    day.eventos.some(({ isFinal }) => isFinal) && styles.final,
                  )}
                  aria-label={`${day.weekday} ${number} de ${day.month}`}
                  aria-current={date === today ? 'date' : undefined}
                >
                  {number}
                </a>
              ) : (
                <span className={styles.free}>{number}</span>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
