import type { Parecida, Parecido } from '#app/entries/schema.ts'
import { Estado } from '#app/panel/entry-state.tsx'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './similar-entries.module.css'

const POR: Record<Parecido, string> = {
  celular: 'mismo celular',
  nombre: 'mismo nombre',
  archivo: 'mismo archivo',
}

/** So many are shown at once: more push the documents out of sight. */
const A_LA_VISTA = 3

/** Entries that may be the same person's twice: the organisers judge. */
export const Parecidas = ({ parecidas }: { parecidas: Parecida[] }) =>
  parecidas.length > 0 && (
    <section aria-labelledby="parecidas" className={styles.parecidas}>
      <h2 id="parecidas">{parecidas.length === 1 ? 'Puede estar repetida' : 'Puede estar repetida varias veces'}</h2>
      <Lista parecidas={parecidas.slice(0, A_LA_VISTA)} />
      {parecidas.length > A_LA_VISTA && (
        <details>
          <summary>Ver {parecidas.length - A_LA_VISTA} más</summary>
          <Lista parecidas={parecidas.slice(A_LA_VISTA)} />
        </details>
      )}
    </section>
  )

const Lista = ({ parecidas }: { parecidas: Parecida[] }) => (
  <ul>
    {parecidas.map(({ id, titular, estado, por }) => (
      <li key={id}>
        <Enlace to={`/organizadores/inscripciones/${id}`}>{titular}</Enlace>{' '}
        <span>{por.map((one) => POR[one]).join(', ')}</span> <Estado estado={estado} />
      </li>
    ))}
  </ul>
)
