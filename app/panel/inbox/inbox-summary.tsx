import type { Counts, EntryState } from '#app/entries/schema.ts'
import { BarChart } from '#app/ui/components/bar-chart.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './inbox-summary.module.css'

export interface InboxSummaryData {
  /** Counts the entries since the visit before; 0 during the organiser's first visit. */
  newEntryCount: number
  /** The words say when the visit before ended; null during the whole first visit. */
  lastVisitText: string | null
  /** The last 14 days in Mexico City stand here with their entries, the oldest first. */
  entriesPerDay: { day: string; isToday: boolean; count: number }[]
  /** The words say when the oldest entry of each waiting state came in. */
  oldestTextByState: Partial<Record<EntryState, string | undefined>>
  /** The words are undefined for an edition without candidates, or that is not the current edition. */
  voteStatus: string | undefined
  mayViewResults: boolean
  /** Counts the entries whose last message did not arrive. */
  undeliveredCount: number
  diskSpaceText: string
  backupsText: string
}

/** The summary shows these states, each with the people whose turn it is. */
const WAITING: { state: EntryState; heading: string; description: string }[] = [
  { state: 'recibida', heading: 'Esperan al comité', description: 'sin revisar' },
  { state: 'en-revision', heading: 'Esperan su decisión', description: 'en revisión' },
  { state: 'falta-documento', heading: 'Esperan a la persona', description: 'con documentos pedidos' },
]

const count = (counts: Counts, state: EntryState) => counts.candidata[state] + counts.traje[state]

export function InboxSummary({ summary, counts }: { summary: InboxSummaryData; counts: Counts }) {
  const {
    newEntryCount,
    lastVisitText,
    entriesPerDay,
    oldestTextByState,
    voteStatus,
    mayViewResults,
    undeliveredCount,
    diskSpaceText,
    backupsText,
  } = summary
  const total = entriesPerDay.reduce((sum, { count }) => sum + count, 0)
  const today = entriesPerDay.find(({ isToday }) => isToday)?.count ?? 0
  return (
    <section className={styles.inbox} aria-label="Escritorio del comité">
      <p className={styles.newOnes}>
        {lastVisitText === null ? (
          <>Es tu primera visita: aquí verás qué llega y qué espera.</>
        ) : newEntryCount === 0 ? (
          <>Nada nuevo desde tu última visita, {lastVisitText}.</>
        ) : (
          <>
            <b>{newEntryCount.toLocaleString('es-MX')}</b> {newEntryCount === 1 ? 'nueva' : 'nuevas'} desde tu última
            visita, {lastVisitText}.
          </>
        )}
      </p>
      <ul className={styles.waits}>
        {WAITING.map(({ state, heading, description }) => (
          <li key={state} data-waiting={count(counts, state) > 0}>
            <Link to={`/organizadores?estado=${state}`}>
              <span>{heading}</span>
              <b>{count(counts, state).toLocaleString('es-MX')}</b>
              <span>
                {description}
                {oldestTextByState[state] &&
                  count(counts, state) > 0 &&
                  `; la más antigua, ${oldestTextByState[state]}`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={styles.rest}>
        <figure className={styles.days}>
          <BarChart
            bars={entriesPerDay.map(({ day, count }) => ({ label: day, value: count }))}
            className={styles.bars}
          />
          <figcaption>
            {total.toLocaleString('es-MX')} en 14 días, {today.toLocaleString('es-MX')} hoy
          </figcaption>
        </figure>
        <dl className={styles.data}>
          {voteStatus && (
            <div>
              <dt>Votación</dt>
              <dd>
                {voteStatus} {mayViewResults && <Link to="/misspopularidad-resultados">Ver el conteo</Link>}
              </dd>
            </div>
          )}
          <div>
            <dt>Correos</dt>
            <dd>
              {undeliveredCount === 0 ? (
                'Ninguno sin llegar.'
              ) : (
                <Link to="/organizadores/mensajes">
                  {undeliveredCount === 1 ? 'Uno no llegó' : `${undeliveredCount.toLocaleString('es-MX')} no llegaron`}
                </Link>
              )}
            </dd>
          </div>
          <div>
            <dt>Espacio</dt>
            <dd>{diskSpaceText}</dd>
          </div>
          <div>
            <dt>Respaldo</dt>
            <dd>{backupsText}</dd>
          </div>
        </dl>
      </div>
    </section>
  )
}
