import type { Counts, EntryState } from '#app/entries/schema.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { BarChart } from '#app/ui/primitives/bar-chart.tsx'
import styles from './inbox-summary.module.css'

export interface InboxSummaryData {
  /** Entries that came since the organiser's last visit. */
  nuevas: number
  /** Time of the last visit, in words; null: this is the first. */
  desde: string | null
  /** Entries of each of the last 14 days. */
  porDia: { dia: string; esHoy: boolean; cuantas: number }[]
  /** When the oldest entry of each state came in, in words. */
  espera: Partial<Record<EntryState, string | undefined>>
  /** Status of the edition's vote, in words; undefined: it has none, or is not the current edition. */
  votacion: string | undefined
  /** Whether the organiser may see the results. */
  veVotacion: boolean
  /** Entries whose last message did not arrive. */
  noLlegados: number
  espacio: string
  /** Status of the site's backups, in words. */
  respaldo: string
}

/** States that wait, each with the person whose turn it is, and the wording. */
const WAITING: { estado: EntryState; quien: string; texto: string }[] = [
  { estado: 'recibida', quien: 'Esperan al comité', texto: 'sin revisar' },
  { estado: 'en-revision', quien: 'Esperan su decisión', texto: 'en revisión' },
  { estado: 'falta-documento', quien: 'Esperan a la persona', texto: 'con documentos pedidos' },
]

const count = (counts: Counts, state: EntryState) => counts.candidata[state] + counts.traje[state]

/** News and waiting entries, above the list of entries. */
export function InboxSummary({ escritorio, conteo }: { escritorio: InboxSummaryData; conteo: Counts }) {
  const { nuevas, desde, porDia, espera, votacion, veVotacion, noLlegados, espacio, respaldo } = escritorio
  const total = porDia.reduce((sum, { cuantas }) => sum + cuantas, 0)
  const hoy = porDia.find(({ esHoy }) => esHoy)?.cuantas ?? 0
  return (
    <section className={styles.escritorio} aria-label="Escritorio del comité">
      <p className={styles.nuevas}>
        {desde === null ? (
          <>Es tu primera visita: aquí verás qué llega y qué espera.</>
        ) : nuevas === 0 ? (
          <>Nada nuevo desde tu última visita, {desde}.</>
        ) : (
          <>
            <b>{nuevas.toLocaleString('es-MX')}</b> {nuevas === 1 ? 'nueva' : 'nuevas'} desde tu última visita, {desde}.
          </>
        )}
      </p>
      <ul className={styles.esperas}>
        {WAITING.map(({ estado, quien, texto }) => (
          <li key={estado} data-hay={count(conteo, estado) > 0}>
            <Enlace to={`/organizadores?estado=${estado}`}>
              <span>{quien}</span>
              <b>{count(conteo, estado).toLocaleString('es-MX')}</b>
              <span>
                {texto}
                {espera[estado] && count(conteo, estado) > 0 && `; la más antigua, ${espera[estado]}`}
              </span>
            </Enlace>
          </li>
        ))}
      </ul>
      <div className={styles.resto}>
        <figure className={styles.dias}>
          <BarChart
            valores={porDia.map(({ dia, cuantas }) => ({ nombre: dia, valor: cuantas }))}
            className={styles.barras}
          />
          <figcaption>
            {total.toLocaleString('es-MX')} en 14 días, {hoy.toLocaleString('es-MX')} hoy
          </figcaption>
        </figure>
        <dl className={styles.datos}>
          {votacion && (
            <div>
              <dt>Votación</dt>
              <dd>
                {votacion} {veVotacion && <Enlace to="/misspopularidad-resultados">Ver el conteo</Enlace>}
              </dd>
            </div>
          )}
          <div>
            <dt>Correos</dt>
            <dd>
              {noLlegados === 0 ? (
                'Ninguno sin llegar.'
              ) : (
                <Enlace to="/organizadores/mensajes">
                  {noLlegados === 1 ? 'Uno no llegó' : `${noLlegados.toLocaleString('es-MX')} no llegaron`}
                </Enlace>
              )}
            </dd>
          </div>
          <div>
            <dt>Espacio</dt>
            <dd>{espacio}</dd>
          </div>
          <div>
            <dt>Respaldo</dt>
            <dd>{respaldo}</dd>
          </div>
        </dl>
      </div>
    </section>
  )
}
