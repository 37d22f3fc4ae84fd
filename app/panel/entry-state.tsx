import { type EntryState, STATE_NAMES } from '#app/entries/schema.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './entry-state.module.css'

/** An entry's state as a coloured word. */
export const StateLabel = ({ estado }: { estado: EntryState }) => (
  <span className={joinClasses(styles.estado, styles[estado])}>{STATE_NAMES[estado]}</span>
)
