// npm run mudanza: moves the site to another database or another storage, or back.
import { ejecutar } from './ejecutar.ts'

await ejecutar('scripts/mudanza-orden.ts', { conVista: false })
