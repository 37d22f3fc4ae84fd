// npm run respaldo: copies the site, its words, its documents and its vote, to another place, while it runs or not.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/respaldo-orden.ts', { conVista: false })
