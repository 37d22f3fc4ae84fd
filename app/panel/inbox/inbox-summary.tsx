import styles from './entries.module.css'

export interface InboxSummaryData {
  /** Counts the entries since the visit before; 0 during the organiser's first visit. */
  newEntryCount: number
  /** The words say when the visit before ended; null during the whole first visit. */
  lastVisitText: string | null
  /** The words say when the oldest entry came in that was not looked at yet; undefined: none waits. */
  oldestText: string | undefined
}

/** Says in a sentence what arrived since the organiser's last visit, and how long the oldest entry has waited. */
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
