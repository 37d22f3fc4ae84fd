import { unir } from '#app/ui/styles/class-names.ts'
import styles from './calendar-grid.module.css'

const SEMANA = ['L', 'M', 'M', 'J', 'V', 'S', 'D']

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
  /** Called before the page goes to a day. */
  onDia: (fecha: string) => void
}

/** The fair's days as a leaf of a calendar, each a way to its events. */
export function Calendario({ columna, casillas, dias, hoy, onDia }: Props) {
  return (
    <nav className={styles.calendario} aria-label="Días de la feria">
      <ol>
        {SEMANA.map((letra, index) => (
          <li key={`${letra}${index + 1}`} className={styles.semana} aria-hidden="true">
            {letra}
          </li>
        ))}
        {casillas.map((fecha, index) => {
          const dia = dias.find((one) => one.fecha === fecha)
          const numero = Number(fecha.slice(8))
          return (
            <li key={fecha} data-columna={index === 0 ? columna : undefined}>
              {dia ? (
                <a
                  href={`#dia-${fecha}`}
                  onClick={() => onDia(fecha)}
                  className={unir(
                    fecha === hoy && styles.hoy,
                    hoy !== undefined && fecha < hoy && styles.paso,
                    dia.eventos.some(({ esFinal }) => esFinal) && styles.final,
                  )}
                  aria-label={`${dia.semana} ${numero} de ${dia.mes}`}
                  aria-current={fecha === hoy ? 'date' : undefined}
                >
                  {numero}
                </a>
              ) : (
                <span className={styles.libre}>{numero}</span>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
