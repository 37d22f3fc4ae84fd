// Sends a file several times over as one ZIP, as the site does: node zip-server.ts FILE TIMES
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { answerZip } from '#app/core/http/zip-response.server.ts'

const [file, times] = process.argv.slice(2)
const { size, mtime } = statSync(file!)
const entry = (n: number) => ({ name: `${n}.png`, size, lastModified: mtime, open: () => createReadStream(file!) })
const small = { name: 'uno.txt', size: 1_000, lastModified: mtime, open: () => createReadStream(file!, { end: 999 }) }

const server = createServer(
  getRequestListener((request) => {
    const entries = request.url.endsWith('/uno') ? [small] : Array.from({ length: Number(times) }, (_, n) => entry(n))
    return answerZip(entries, false, {})
  }),
)
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
