import { type EstadoInscripcion, NOMBRE_DE_ESTADO } from '#app/entries/schema.ts'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './entry-state.module.css'

/** An entry's state, by word and colour. */
export const Estado = ({ estado }: { estado: EstadoInscripcion }) => (
  <span className={unir(styles.estado, styles[estado])}>{NOMBRE_DE_ESTADO[estado]}</span>
)
