// This program renders one document as the panel shows it, or puts a PDF into a marked cover (portada), or only says why the
// document would not be shown (motivo) or could not be opened (enviado):
// node render.process.ts TYPE [marca] [ficha | miniatura] [portada | motivo | enviado] < document > painted
// It is a program of its own so that a hostile file exhausts or crashes this process only. On a refusal it exits with 3 and
// writes the reason to standard error.
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { renderAs } from './render.server.ts'

sharp.cache(false)
sharp.concurrency(1)
const [type = '', ...how] = process.argv.slice(2)
const painted = await renderAs(await buffer(process.stdin), type, how)
if (typeof painted === 'string') {
  process.stderr.write(painted)
  process.exitCode = 3
} else if (painted) process.stdout.write(painted)
