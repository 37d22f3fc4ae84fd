import { formatTime } from '#app/core/time/mexico-dates.ts'
import type { SaveState } from '#app/panel/editor/draft-client.ts'
import styles from './edit-form.module.css'

export function SaveStatus({ saveState, hasConflict }: { saveState: SaveState; hasConflict: boolean }) {
  const isChoicePending = hasConflict && saveState.kind === 'saved'
  return (
    <p className={styles.state} data-kind={isChoicePending ? 'failed' : saveState.kind} role="status">
      {isChoicePending ? 'Falta elegir' : saveStateText(saveState)}
    </p>
  )
}

function saveStateText(saveState: SaveState): string {
  if (saveState.kind === 'saving') return 'Guardando…'
  if (saveState.kind === 'offline') return 'Sin línea: se guarda en cuanto vuelva'
  if (saveState.kind === 'signedOut') return 'Sin sesión: se guarda cuando entres'
  if (saveState.kind === 'failed') return 'Todavía no se guarda'
  return saveState.at === undefined ? 'Todo está guardado' : `Guardado a las ${formatTime(new Date(saveState.at))}`
}
