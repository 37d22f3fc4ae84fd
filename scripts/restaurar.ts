// npm run restaurar: puts a backup into an empty place, or brings back one entry.
import { ejecutar } from './ejecutar.ts'

await ejecutar('scripts/restaurar-orden.ts')
