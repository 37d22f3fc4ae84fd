// npm run restaurar: puts a backup into an empty place, or brings back one entry.
import { loadCommand } from './ejecutar.ts'

await loadCommand('scripts/restaurar-orden.ts')
