// Paints one document as the panel shows it: node pintar.ts TYPE [marca] [ficha] < document > painted
// A process of its own: whatever a strange file does to its memory, or to the libraries that read it, ends with it.
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { paint } from '#app/organizadores/pintura.server.ts'

sharp.cache(false)
sharp.concurrency(1)
const [type = '', ...how] = process.argv.slice(2)
const tamano = how.includes('ficha') ? 'ficha' : 'pantalla'
const painted = await paint(await buffer(process.stdin), type, how.includes('marca'), tamano)
if (typeof painted === 'string') {
  process.stderr.write(painted)
  process.exitCode = 3
} else process.stdout.write(painted)
