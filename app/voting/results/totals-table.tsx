import { miles } from '#app/core/text/thousands-separator.ts'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import type { Results } from '#app/voting/tally/schema.ts'
import { OTHERS } from '#app/voting/tally/schema.ts'
import styles from './results.module.css'

export interface PortrayedCandidate {
  id: string
  nombre: string
  tono: Tone
  retrato: Picture
}

interface Props {
  /** Undefined: the results could not be read yet. */
  resultados: Results | undefined
  candidatas: PortrayedCandidate[]
  /** Seconds since the last live results; undefined: they are not live. */
  vivo: number | undefined
}

/** The table of §2.15, the leader first. Votes for no candidate stand in a line outside the table (D27). */
export function Tabla({ resultados, candidatas, vivo }: Props) {
  return (
    <section aria-label="Votos por candidata">
      <table className={styles.tabla}>
        <thead>
          <tr>
            <th scope="col">Candidata</th>
            <th scope="col" className={styles.numero}>
              Votos
            </th>
            <th scope="col">Porcentaje</th>
          </tr>
        </thead>
        <tbody>{resultados && <Rows resultados={resultados} candidatas={candidatas} />}</tbody>
      </table>
      {resultados && <Remainder resultados={resultados} vivo={vivo} />}
      <p className={styles.descargas}>
        <a href="/misspopularidad-resultados/resultados.csv" download>
          Descargar resultados (CSV)
        </a>
        <a href="/misspopularidad-resultados/horas.csv" download>
          Descargar votos por hora (CSV)
        </a>
      </p>
    </section>
  )
}

function Rows({ resultados, candidatas }: { resultados: Results; candidatas: PortrayedCandidate[] }) {
  return resultados.filas
    .toSorted((a, b) => b.votos - a.votos)
    .map(({ id, nombre, votos, porcentaje }) => {
      const { tono, retrato } = candidatas.find((una) => una.id === id) ?? {}
      return (
        <tr key={id} className={tono && toneClass(tono)}>
          <td>
            <span className={styles.quien}>
              {retrato && <Photo imagen={{ ...retrato, alt: '' }} sizes="58px" className={styles.avatar} />}
              {nombre}
            </span>
          </td>
          <td className={styles.numero}>{miles(votos)}</td>
          <td>
            <span className={styles.parte}>
              {/* The bar's length is the percentage of all votes, not of the leader's. */}
              <svg className={styles.barra} viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                <rect width={porcentaje} height="12" />
              </svg>
              <b>{porcentaje} %</b>
            </span>
          </td>
        </tr>
      )
    })
}

/** Votes for no candidate, and the votes that are counted apart. */
function Remainder({ resultados, vivo }: { resultados: Results; vivo: number | undefined }) {
  const { otros, total, anulados, sospechosos, ajenos } = resultados
  return (
    <>
      <p className={styles.otros}>
        {OTHERS}: {miles(otros)} · Total: {miles(total)}
        {vivo !== undefined && ` · En vivo, hace ${vivo} s`}
      </p>
      {(anulados > 0 || sospechosos > 0 || ajenos > 0) && (
        <p className={styles.aparte}>
          Bajo sospecha, contados: {miles(sospechosos)} · Anulados, fuera de la cuenta: {miles(anulados)}
          {ajenos > 0 && ` · Escritos en la base de datos sin pasar por el sitio: ${miles(ajenos)}`}
        </p>
      )}
    </>
  )
}
