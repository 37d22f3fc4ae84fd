// Renders one document as the panel shows it, or puts a PDF into a marked cover (portada), or only says why the document would
// not be shown (motivo) or could not be opened (enviado):
// node render.process.ts TYPE [marca] [ficha | miniatura] [portada | motivo | enviado] < document > painted
// A separate process, so that a hostile file can exhaust or crash only this process and its libraries.
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
