// Runs one `renderDocument` as a program, so that a hostile file exhausts or crashes this process only:
// node render.process.ts TYPE [marca] [ficha | miniatura] [portada | motivo | enviado] < document > rendered
// On a refusal it exits with 3 and writes the reason to standard error.
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { renderDocument } from './render.server.ts'

sharp.cache(false)
sharp.concurrency(1)
const [contentType = '', ...options] = process.argv.slice(2)
const rendering = await renderDocument(await buffer(process.stdin), contentType, options)
if (typeof rendering === 'string') {
  process.stderr.write(rendering)
  process.exitCode = 3
} else if (rendering) process.stdout.write(rendering)
