import { joinClasses } from '#app/ui/styles/class-names.ts'
import type { describeClosedRound } from './data.server.ts'
import styles from './judging-table.module.css'

/** The columns of more judges than these fit no screen. */
const MANY_JUDGES = 7

/** Renders a closed round: the ranking, every judge's points, dropped scores, and how ties were broken. */
export function ClosedRound({ ronda }: { ronda: ReturnType<typeof describeClosedRound> }) {
  const { numero, nombre, jueces, filas, empates, sin } = ronda
  const hasDroppedScores = filas.some(({ porJuez }) => porJuez.some(({ fuera }) => fuera))
  return (
    <section className={styles.section} aria-labelledby={`ronda-${numero}`}>
      <h2 id={`ronda-${numero}`}>
        {numero}. {nombre}
      </h2>
      <div className={joinClasses(styles.wide, jueces.length > MANY_JUDGES && styles.stacked)}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Lugar</th>
              <th scope="col">Candidata</th>
              <th scope="col">Total</th>
              <th scope="col">Ronda</th>
              {jueces.map((judge) => (
                <th scope="col" key={judge}>
                  {judge}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filas.map(({ lugar, id, numero: its, nombre: who, porJuez, ronda: points, total, pasa }) => (
              <tr key={id} className={pasa === false ? styles.leaving : undefined}>
                <td>{lugar}</td>
                <th scope="row">
                  {who}
                  <span className={styles.datum}>
                    Número {its}
                    {pasa !== null && (pasa ? '. Pasa' : '. No pasa')}
                  </span>
                </th>
                <td>
                  <b>{total}</b>
                </td>
                <td className={styles.ofRound}>{points}</td>
                {porJuez.map(({ puntos: one, fuera }, at) => (
                  <td key={jueces[at]} className={styles.ofJudge} data-juez={jueces[at]}>
                    {fuera ? <s>{one}</s> : one}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasDroppedScores && (
        <p className={styles.note}>Lo tachado es la calificación más alta y la más baja, que no cuentan.</p>
      )}
      {empates.map((tie) => (
        <p className={styles.tie} key={tie}>
          {tie}
        </p>
      ))}
      {sin.map(({ quien, motivo }) => (
        <p className={styles.note} key={quien}>
          Sin la hoja de {quien}: {motivo}
        </p>
      ))}
    </section>
  )
}
