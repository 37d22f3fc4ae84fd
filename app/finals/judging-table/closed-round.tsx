import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { describeClosedRound } from './data.server.ts'
import styles from './judging-table.module.css'

/** The columns of more judges than these fit no screen. */
const MANY_JUDGES = 7

interface Props {
  round: ReturnType<typeof describeClosedRound>
  /** The round can be folded, and is so at first if true; without a value it always shows. */
  isFolded?: boolean
}

/** Renders a closed round: the ranking, every judge's points, dropped scores, and how ties were broken. */
export function ClosedRound({ round, isFolded }: Props) {
  const { number, name, judgeNames, rows, tieSentences, missingSheets } = round
  const hasDroppedScores = rows.some(({ judgePoints }) => judgePoints.some(({ isDropped }) => isDropped))
  const heading = (
    <h2 id={`ronda-${number}`}>
      {number}. {name}
    </h2>
  )
  const scores = (
    <>
      <div className={joinClasses(styles.wide, judgeNames.length > MANY_JUDGES && styles.stacked)}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Lugar</th>
              <th scope="col">Candidata</th>
              <th scope="col">Total</th>
              <th scope="col">Ronda</th>
              {judgeNames.map((judge) => (
                <th scope="col" key={judge}>
                  {judge}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(
              ({
                rank,
                id,
                number: candidateNumber,
                name: candidateName,
                judgePoints,
                roundPoints: points,
                total,
                advances,
              }) => (
                <tr key={id} className={advances === false ? styles.leaving : undefined}>
                  <td>{rank}</td>
                  <th scope="row">
                    {candidateName}
                    <span className={styles.datum}>
                      Número {candidateNumber}
                      {advances !== null && (advances ? '. Pasa' : '. No pasa')}
                    </span>
                  </th>
                  <td>
                    <b>{total}</b>
                  </td>
                  <td className={styles.ofRound}>{points}</td>
                  {judgePoints.map(({ points: one, isDropped }, at) => (
                    <td key={judgeNames[at]} className={styles.ofJudge} data-judge={judgeNames[at]}>
                      {isDropped ? <s>{one}</s> : one}
                    </td>
                  ))}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      {hasDroppedScores && (
        <p className={styles.note}>Lo tachado es la calificación más alta y la más baja, que no cuentan.</p>
      )}
      {tieSentences.map((tie) => (
        <p className={styles.tie} key={tie}>
          {tie}
        </p>
      ))}
      {missingSheets.map(({ judgeName, reason }) => (
        <p className={styles.note} key={judgeName}>
          Sin la hoja de {judgeName}: {reason}
        </p>
      ))}
    </>
  )
  return (
    <section className={styles.section} aria-labelledby={`ronda-${number}`}>
      {isFolded === undefined ? (
        <>
          {heading}
          {scores}
        </>
      ) : (
        <details open={!isFolded} className={styles.closedRound}>
          <summary className={styles.row}>{heading}</summary>
          {scores}
        </details>
      )}
    </section>
  )
}
