// npm run mudanza: moves the site to another database or another storage, or back.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/mudanza-orden.ts', { conVista: false })
