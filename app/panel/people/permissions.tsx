import { NOMBRE_DE_ROL } from '#app/accounts/role-names.ts'
import { NOMBRE_DE_RECURSO, PERMISOS, type Recurso } from '#app/accounts/rules.ts'
import styles from './permissions.module.css'

/** What each part opens: the very table by which the site lets in. */
export const Permisos = () => (
  <details className={styles.permisos}>
    <summary>Qué puede hacer cada encargo</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Qué</th>
          <th scope="col">Quién puede</th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(PERMISOS) as Recurso[]).map((recurso) => (
          <tr key={recurso}>
            <th scope="row">{NOMBRE_DE_RECURSO[recurso]}</th>
            <td>
              <ul>
                {PERMISOS[recurso].map((rol) => (
                  <li key={rol}>{NOMBRE_DE_ROL[rol]}</li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)
