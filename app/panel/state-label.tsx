import { ENTRY_STATE_NAMES, type EntryState } from '#app/entries/schema.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './state-label.module.css'

export const StateLabel = ({ state }: { state: EntryState }) => (
  <span className={joinClasses(styles.state, styles[state])}>{ENTRY_STATE_NAMES[state]}</span>
)
