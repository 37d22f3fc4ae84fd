// npm run actualizar: replaces the running version without downtime; --volver returns to the version before.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/actualizar-orden.ts', { conVista: false })
