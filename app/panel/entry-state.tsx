import { type EntryState, STATE_NAMES } from '#app/entries/schema.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './entry-state.module.css'

export const StateLabel = ({ state }: { state: EntryState }) => (
  <span className={joinClasses(styles.state, styles[state])}>{STATE_NAMES[state]}</span>
)
