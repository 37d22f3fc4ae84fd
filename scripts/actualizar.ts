// npm run actualizar: another version takes the place of the one that runs, while visitors come; --volver takes it back.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/actualizar-orden.ts', { conVista: false })
