// npm run actualizar: another version takes the place of the one that runs, while visitors come; --volver takes it back.
import { ejecutar } from './ejecutar.ts'

await ejecutar('scripts/actualizar-orden.ts', { conVista: false })
