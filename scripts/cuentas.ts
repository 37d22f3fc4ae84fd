// npm run cuentas: the organisers' and journalists' accounts, while the site runs or not.
import { ejecutar } from './ejecutar.ts'

await ejecutar('scripts/cuentas-orden.ts')
