import type { DuplicateReason, LikelyDuplicate } from '#app/entries/schema.ts'
import { StateLabel } from '#app/panel/state-label.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './likely-duplicates.module.css'

const REASON_LABELS: Record<DuplicateReason, string> = {
  celular: 'mismo celular',
  nombre: 'mismo nombre',
  archivo: 'mismo archivo',
}

/** Lists other entries that may come from the same person. Several are folded, since they would push the documents down. */
export const LikelyDuplicates = ({ duplicates }: { duplicates: LikelyDuplicate[] }) =>
  duplicates.length > 0 && (
    <section aria-labelledby="parecidas" className={styles.duplicates}>
      {duplicates.length === 1 ? (
        <>
          <h2 id="parecidas">Puede estar repetida</h2>
          <DuplicateList duplicates={duplicates} />
        </>
      ) : (
        <details>
          <summary>
            <h2 id="parecidas">Puede estar repetida con {duplicates.length}</h2>
          </summary>
          <DuplicateList duplicates={duplicates} />
        </details>
      )}
    </section>
  )

const DuplicateList = ({ duplicates }: { duplicates: LikelyDuplicate[] }) => (
  <ul>
    {duplicates.map(({ id, titular, estado, reasons }) => (
      <li key={id}>
        <Link to={`/organizadores/inscripciones/${id}`}>{titular}</Link>{' '}
        <span>{reasons.map((reason) => REASON_LABELS[reason]).join(', ')}</span> <StateLabel state={estado} />
      </li>
    ))}
  </ul>
)
