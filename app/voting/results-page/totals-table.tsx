import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import type { Results } from '#app/voting/sealing/schema.ts'
import { OTHERS } from '#app/voting/sealing/schema.ts'
import styles from './results.module.css'

export interface PortrayedCandidate {
  id: string
  name: string
  tone: Tone
  portrait: Picture
}

interface Props {
  /** The results; undefined if they could not be read yet. */
  results: Results | undefined
  candidates: PortrayedCandidate[]
  /** Seconds since the last live update; undefined if the results are not live. */
  ageSeconds: number | undefined
}

/**
 * Renders the table of §2.15, the leader first. Votes that count in no row are shown in a line below the table, which ranks
 * candidates only. Without candidates, renders a sentence instead.
 */
export function TotalsTable({ results, candidates, ageSeconds }: Props) {
  if (results?.filas.length === 0)
    return <p className={styles.noCandidates}>La votación empieza cuando se anuncien las candidatas.</p>
  return (
    <section aria-label="Votos por candidata">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Candidata</th>
            <th scope="col" className={styles.number}>
              Votos
            </th>
            <th scope="col">Porcentaje</th>
          </tr>
        </thead>
        <tbody>{results && <Rows results={results} candidates={candidates} />}</tbody>
      </table>
      {results && <OtherVotes results={results} ageSeconds={ageSeconds} />}
      <p className={styles.downloads}>
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

function Rows({ results, candidates }: { results: Results; candidates: PortrayedCandidate[] }) {
  const leaderVotes = Math.max(1, ...results.filas.map(({ votos }) => votos))
  return results.filas
    .toSorted((a, b) => b.votos - a.votos)
    .map(({ id, nombre: name, votos, porcentaje }) => {
      const { tone, portrait } = candidates.find((candidate) => candidate.id === id) ?? {}
      return (
        <tr key={id} className={tone && toneClass(tone)}>
          <td>
            <span className={styles.candidate}>
              {portrait && <Photo picture={{ ...portrait, alt: '' }} sizes="58px" className={styles.avatar} />}
              {name}
            </span>
          </td>
          <td className={styles.number}>{formatThousands(votos)}</td>
          <td>
            <span className={styles.percentage}>
              {/* The leader's bar is full, so that small differences show. */}
              <svg className={styles.bar} viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
                <rect width={((votos / leaderVotes) * 100).toFixed(1)} height="12" />
              </svg>
              <b>{porcentaje} %</b>
            </span>
          </td>
        </tr>
      )
    })
}

/** Renders the number of votes for no candidate of the table, the total, and the suspicious, annulled and foreign votes. */
function OtherVotes({ results, ageSeconds }: { results: Results; ageSeconds: number | undefined }) {
  const { otros, total, anulados, sospechosos, ajenos } = results
  return (
    <>
      <p className={styles.others}>
        {OTHERS}: {formatThousands(otros)} · Total: {formatThousands(total)}
        {ageSeconds !== undefined && ` · En vivo, hace ${ageSeconds} s`}
      </p>
      {(anulados > 0 || sospechosos > 0 || ajenos > 0) && (
        <p className={styles.flaggedVotes}>
          Bajo sospecha, contados: {formatThousands(sospechosos)} · Anulados, fuera de la cuenta:{' '}
          {formatThousands(anulados)}
          {ajenos > 0 && ` · Escritos en la base de datos sin pasar por el sitio: ${formatThousands(ajenos)}`}
        </p>
      )}
    </>
  )
}
