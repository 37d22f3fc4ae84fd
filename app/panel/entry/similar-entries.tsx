import type { DuplicateReason, LikelyDuplicate } from '#app/entries/schema.ts'
import { StateLabel } from '#app/panel/entry-state.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './similar-entries.module.css'

const SIMILARITY_LABELS: Record<DuplicateReason, string> = {
  celular: 'mismo celular',
  nombre: 'mismo nombre',
  archivo: 'mismo archivo',
}

/** More entries would push the documents out of sight, so the rest is folded. */
const MAX_SHOWN = 3

/** Lists other entries that may come from the same person; the organisers decide. */
export const SimilarEntries = ({ duplicates }: { duplicates: LikelyDuplicate[] }) =>
  duplicates.length > 0 && (
    <section aria-labelledby="parecidas" className={styles.similar}>
      <h2 id="parecidas">{duplicates.length === 1 ? 'Puede estar repetida' : 'Puede estar repetida varias veces'}</h2>
      <List duplicates={duplicates.slice(0, MAX_SHOWN)} />
      {duplicates.length > MAX_SHOWN && (
        <details>
          <summary>Ver {duplicates.length - MAX_SHOWN} más</summary>
          <List duplicates={duplicates.slice(MAX_SHOWN)} />
        </details>
      )}
    </section>
  )

const List = ({ duplicates }: { duplicates: LikelyDuplicate[] }) => (
  <ul>
    {duplicates.map(({ id, titular, estado, reasons }) => (
      <li key={id}>
        <Link to={`/organizadores/inscripciones/${id}`}>{titular}</Link>{' '}
        <span>{reasons.map((one) => SIMILARITY_LABELS[one]).join(', ')}</span> <StateLabel state={estado} />
      </li>
    ))}
  </ul>
)
