import type { DuplicateReason, LikelyDuplicate } from '#app/entries/schema.ts'
import { StateLabel } from '#app/panel/entry-state.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './similar-entries.module.css'

const SIMILARITY_LABELS: Record<DuplicateReason, string> = {
  celular: 'mismo celular',
  nombre: 'mismo nombre',
  archivo: 'mismo archivo',
}

/** Lists other entries that may come from the same person; the organisers decide. Several would push the documents out of sight. */
export const SimilarEntries = ({ duplicates }: { duplicates: LikelyDuplicate[] }) =>
  duplicates.length > 0 && (
    <section aria-labelledby="parecidas" className={styles.similar}>
      {duplicates.length === 1 ? (
        <>
          <h2 id="parecidas">Puede estar repetida</h2>
          <List duplicates={duplicates} />
        </>
      ) : (
        <details>
          <summary>
            <h2 id="parecidas">Puede estar repetida con {duplicates.length}</h2>
          </summary>
          <List duplicates={duplicates} />
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
