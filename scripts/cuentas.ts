// npm run cuentas: the organisers' and journalists' accounts, while the site runs or not.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/cuentas-orden.ts')
