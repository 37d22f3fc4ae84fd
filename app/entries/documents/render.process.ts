// Paints one document as the panel shows it, or puts a PDF into a marked cover (portada), or only says why it would not be
// shown (motivo), or why nobody could open it (enviado):
// node render.process.ts TYPE [marca] [ficha | miniatura] [portada | motivo | enviado] < document > painted
// A process of its own: whatever a strange file does to its memory, or to the libraries that read it, ends with it.
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { paintAs } from './render.server.ts'

sharp.cache(false)
sharp.concurrency(1)
const [type = '', ...how] = process.argv.slice(2)
const painted = await paintAs(await buffer(process.stdin), type, how)
if (typeof painted === 'string') {
  process.stderr.write(painted)
  process.exitCode = 3
} else if (painted) process.stdout.write(painted)
