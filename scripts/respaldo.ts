// npm run respaldo: backs up the site's texts, documents and votes, while it runs or not.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/respaldo-orden.ts', { conVista: false })
