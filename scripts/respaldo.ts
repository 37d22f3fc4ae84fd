// npm run respaldo: copies the site, its words, its documents and its vote, to another place, while it runs or not.
import { ejecutar } from './ejecutar.ts'

await ejecutar('scripts/respaldo-orden.ts', { conVista: false })
