import type { DuplicateReason, LikelyDuplicate } from '#app/entries/schema.ts'
import { StateLabel } from '#app/panel/entry-state.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './similar-entries.module.css'

const SIMILARITY_LABELS: Record<DuplicateReason, string> = {
  celular: 'mismo celular',
  nombre: 'mismo nombre',
  archivo: 'mismo archivo',
}

/** Entries that are shown unfolded; more would push the documents out of sight. */
const MAX_SHOWN = 3

/** Other entries that may come from the same person; the organisers decide. */
export const SimilarEntries = ({ parecidas }: { parecidas: LikelyDuplicate[] }) =>
  parecidas.length > 0 && (
    <section aria-labelledby="parecidas" className={styles.parecidas}>
      <h2 id="parecidas">{parecidas.length === 1 ? 'Puede estar repetida' : 'Puede estar repetida varias veces'}</h2>
      <List parecidas={parecidas.slice(0, MAX_SHOWN)} />
      {parecidas.length > MAX_SHOWN && (
        <details>
          <summary>Ver {parecidas.length - MAX_SHOWN} más</summary>
          <List parecidas={parecidas.slice(MAX_SHOWN)} />
        </details>
      )}
    </section>
  )

const List = ({ parecidas }: { parecidas: LikelyDuplicate[] }) => (
  <ul>
    {parecidas.map(({ id, titular, estado, por }) => (
      <li key={id}>
        <Enlace to={`/organizadores/inscripciones/${id}`}>{titular}</Enlace>{' '}
        <span>{por.map((one) => SIMILARITY_LABELS[one]).join(', ')}</span> <StateLabel estado={estado} />
      </li>
    ))}
  </ul>
)
