import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './calendar-grid.module.css'

const WEEKDAYS = ['L', 'M', 'M', 'J', 'V', 'S', 'D']

interface Props {
  /** Weekday of the first day, 1 (Monday) to 7. */
  columna: number
  casillas: string[]
  dias: readonly {
    fecha: string
    semana: string
    numero: number
    mes: string
    eventos: readonly { esFinal: boolean }[]
  }[]
  hoy: string | undefined
  /** Called before the page jumps to a day. */
  onDia: (date: string) => void
}

/** The fair's days as a sheet of a calendar; each day links to its events. */
export function CalendarGrid({ columna, casillas, dias, hoy, onDia }: Props) {
  return (
    <nav className={styles.calendario} aria-label="Días de la feria">
      <ol>
        {WEEKDAYS.map((character, index) => (
          <li key={`${character}${index + 1}`} className={styles.semana} aria-hidden="true">
            {character}
          </li>
        ))}
        {casillas.map((date, index) => {
          const day = dias.find((one) => one.fecha === date)
          const number = Number(date.slice(8))
          return (
            <li key={date} data-columna={index === 0 ? columna : undefined}>
              {day ? (
                <a
                  href={`#dia-${date}`}
                  onClick={() => onDia(date)}
                  className={joinClasses(
                    date === hoy && styles.hoy,
                    hoy !== undefined && date < hoy && styles.paso,
                    day.eventos.some(({ esFinal }) => esFinal) && styles.final,
                  )}
                  aria-label={`${day.semana} ${number} de ${day.mes}`}
                  aria-current={date === hoy ? 'date' : undefined}
                >
                  {number}
                </a>
              ) : (
                <span className={styles.libre}>{number}</span>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
