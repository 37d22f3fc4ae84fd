import styles from './entries.module.css'

export interface InboxSummaryData {
  /** Number of entries since the previous look; 0 at the first look. */
  newEntryCount: number
  /** End of the previous look in words; null at the first look. */
  lastVisitText: string | null
  /** Arrival of the oldest entry in state «recibida», in words; undefined if there is none. */
  oldestText: string | undefined
}

export const InboxSummary = ({ newEntryCount, lastVisitText, oldestText }: InboxSummaryData) => (
  <p className={styles.summary}>
    {lastVisitText === null ? (
      'Es tu primera visita.'
    ) : newEntryCount === 0 ? (
      `Nada nuevo desde tu última visita, ${lastVisitText}.`
    ) : (
      <>
        <b>{newEntryCount.toLocaleString('es-MX')}</b> {newEntryCount === 1 ? 'nueva' : 'nuevas'} desde tu última
        visita, {lastVisitText}.
      </>
    )}
    {oldestText && <span> La más antigua sin revisar, {oldestText}.</span>}
  </p>
)
