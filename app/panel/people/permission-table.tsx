import { ROLE_NAMES } from '#app/accounts/role-names.ts'
import { PERMISSIONS, RESOURCE_NAMES, type Resource } from '#app/accounts/rules.ts'
import styles from './permission-table.module.css'

/** Shows the roles' permissions, from the same table that the guards use. */
export const PermissionTable = () => (
  <details className={styles.permissions}>
    <summary>Qué puede hacer cada encargo</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Qué</th>
          <th scope="col">Quién puede</th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(PERMISSIONS) as Resource[]).map((resource) => (
          <tr key={resource}>
            <th scope="row">{RESOURCE_NAMES[resource]}</th>
            <td>
              <ul>
                {PERMISSIONS[resource].map((role) => (
                  <li key={role}>{ROLE_NAMES[role]}</li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)
