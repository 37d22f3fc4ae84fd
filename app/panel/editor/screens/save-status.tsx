import { formatTime } from '#app/core/time/mexico-dates.ts'
import type { SaveState } from '#app/panel/editor/draft-client.ts'
import styles from './edit-form.module.css'

export function SaveStatus({ saveState: state, hasConflict }: { saveState: SaveState; hasConflict: boolean }) {
  const isWaiting = hasConflict && state.kind === 'saved'
  return (
    <p className={styles.state} data-kind={isWaiting ? 'failed' : state.kind} role="status">
      {isWaiting ? 'Falta elegir' : saveStateText(state)}
    </p>
  )
}

function saveStateText(state: SaveState): string {
  if (state.kind === 'saving') return 'Guardando…'
  if (state.kind === 'offline') return 'Sin línea: se guarda en cuanto vuelva'
  if (state.kind === 'signedOut') return 'Sin sesión: se guarda cuando entres'
  if (state.kind === 'failed') return 'Todavía no se guarda'
  return state.at === undefined ? 'Todo está guardado' : `Guardado a las ${formatTime(new Date(state.at))}`
}
