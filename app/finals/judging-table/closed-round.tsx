import { unir } from '#app/ui/styles/class-names.ts'
import type { cerrada } from './data.server.ts'
import styles from './judging-table.module.css'

/** With more judges than this, their columns fit no screen. */
const MUCHOS = 7

/** A closed round: who stands where, every judge's points, what was dropped, how ties were settled. */
export function TablaDeRonda({ ronda }: { ronda: ReturnType<typeof cerrada> }) {
  const { numero, nombre, jueces, filas, empates, sin } = ronda
  const drops = filas.some(({ porJuez }) => porJuez.some(({ fuera }) => fuera))
  return (
    <section className={styles.seccion} aria-labelledby={`ronda-${numero}`}>
      <h2 id={`ronda-${numero}`}>
        {numero}. {nombre}
      </h2>
      <div className={unir(styles.ancha, jueces.length > MUCHOS && styles.apilada)}>
        <table className={styles.tabla}>
          <thead>
            <tr>
              <th scope="col">Lugar</th>
              <th scope="col">Candidata</th>
              <th scope="col">Total</th>
              <th scope="col">Ronda</th>
              {jueces.map((juez) => (
                <th scope="col" key={juez}>
                  {juez}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filas.map(({ lugar, id, numero: its, nombre: quien, porJuez, ronda: puntos, total, pasa }) => (
              <tr key={id} className={pasa === false ? styles.sale : undefined}>
                <td>{lugar}</td>
                <th scope="row">
                  {quien}
                  <span className={styles.dato}>
                    Número {its}
                    {pasa !== null && (pasa ? '. Pasa' : '. No pasa')}
                  </span>
                </th>
                <td>
                  <b>{total}</b>
                </td>
                <td className={styles.deRonda}>{puntos}</td>
                {porJuez.map(({ puntos: one, fuera }, at) => (
                  <td key={jueces[at]} className={styles.deJuez} data-juez={jueces[at]}>
                    {fuera ? <s>{one}</s> : one}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {drops && <p className={styles.nota}>Lo tachado es la calificación más alta y la más baja, que no cuentan.</p>}
      {empates.map((empate) => (
        <p className={styles.empate} key={empate}>
          {empate}
        </p>
      ))}
      {sin.map(({ quien, motivo }) => (
        <p className={styles.nota} key={quien}>
          Sin la hoja de {quien}: {motivo}
        </p>
      ))}
    </section>
  )
}
