import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { describeClosedRound } from './data.server.ts'
import styles from './judging-table.module.css'

/** Maximum number of judges whose columns fit on a screen. */
const MAX_TABLE_JUDGES = 7

interface Props {
  round: ReturnType<typeof describeClosedRound>
  /** Whether the round is folded at first; undefined if it cannot be folded. */
  isFolded?: boolean
}

/** Shows a closed round: the ranking, every judge's points, how ties were broken, and why sheets are missing. */
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
      <div className={joinClasses(styles.tableScroller, judgeNames.length > MAX_TABLE_JUDGES && styles.narrowTable)}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Lugar</th>
              <th scope="col">Candidata</th>
              <th scope="col">Total</th>
              <th scope="col">Ronda</th>
              {judgeNames.map((judgeName) => (
                <th scope="col" key={judgeName}>
                  {judgeName}
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
                <tr key={id} className={advances === false ? styles.eliminated : undefined}>
                  <td>{rank}</td>
                  <th scope="row">
                    {candidateName}
                    <span className={styles.detail}>
                      Número {candidateNumber}
                      {advances !== null && (advances ? '. Pasa' : '. No pasa')}
                    </span>
                  </th>
                  <td>
                    <b>{total}</b>
                  </td>
                  <td className={styles.roundPoints}>{points}</td>
                  {judgePoints.map(({ points: judgePointsText, isDropped }, index) => (
                    <td key={judgeNames[index]} className={styles.judgePoints} data-judge={judgeNames[index]}>
                      {isDropped ? <s>{judgePointsText}</s> : judgePointsText}
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
      {tieSentences.map((sentence) => (
        <p className={styles.tie} key={sentence}>
          {sentence}
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
