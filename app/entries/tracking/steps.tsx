import { dayOf, leafOf } from '#app/core/time/mexico-dates.ts'
import type { EntryState, FolioView } from '#app/entries/schema.ts'
import styles from './steps.module.css'

/** An entry in each state has reached this step, from 0. */
const REACHED: Readonly<Record<EntryState, number>> = {
  recibida: 0,
  'en-revision': 1,
  'falta-documento': 2,
  aceptada: 3,
  rechazada: 3,
}

interface Props {
  view: Pick<FolioView, 'estado' | 'recibida' | 'fechas'>
  /** The moment of the entry's final. */
  final: string | undefined
}

/** Shows an entry's way to the final as bulbs with their dates; those reached are lit. A rejected entry's way ends earlier. */
export function Steps({ view: { estado, recibida, fechas = {} }, final }: Props) {
  const steps = [
    { name: 'Recibida', at: recibida },
    { name: 'En revisión', at: fechas['en-revision'] },
    { name: 'Documentos', at: fechas['falta-documento'] },
    { name: 'Decisión', at: fechas[estado === 'rechazada' ? 'rechazada' : 'aceptada'] },
    { name: 'La final', at: final },
  ]
  const reached = REACHED[estado]
  return (
    <ol className={styles.steps} aria-label="Los pasos de tu registro">
      {steps.slice(0, estado === 'rechazada' ? -1 : undefined).map(({ name, at }, index) => (
        <li key={name} data-lit={index <= reached || undefined} aria-current={index === reached ? 'step' : undefined}>
          <b>{name}</b> {at && (index <= reached || name === 'La final') && <time dateTime={at}>{dayInWords(at)}</time>}
          {index === reached + 1 && <em> Sigue</em>}
        </li>
      ))}
    </ol>
  )
}

function dayInWords(at: string): string {
  const { day, month } = leafOf(dayOf(new Date(at)))
  return `${day} de ${month}`
}
