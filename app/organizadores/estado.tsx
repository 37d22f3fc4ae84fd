import { type EstadoInscripcion, NOMBRE_DE_ESTADO } from '#app/inscripciones/schema.ts'
import { unir } from '#app/ui/clases.ts'
import styles from './estado.module.css'

/** An entry's state, by word and colour. */
export const Estado = ({ estado }: { estado: EstadoInscripcion }) => (
  <span className={unir(styles.estado, styles[estado])}>{NOMBRE_DE_ESTADO[estado]}</span>
)
