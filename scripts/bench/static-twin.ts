import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

interface Kept {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/** What no static page would have: scripts, but for data, and the announcement of modules. */
const SCRIPTED = /<script(?![^>]*application\/ld\+json)\b[^>]*>[\s\S]*?<\/script>|<link rel="modulepreload"[^>]*>/g

/**
 * The static twin of a site: every document without its scripts and what waits for them, every file as the site sends it, all of it from
 * memory, with the site's own headers. No generator of static pages can be faster than it.
 * @param url of the site
 */
export async function startStaticTwin(url: string): Promise<{ url: string; stop(): void }> {
  const kept = new Map<string, Promise<Kept>>()
  const keep = async (path: string): Promise<Kept> => {
    // The site compresses behind its first answers as tightly as it gets; the twin's documents are made as tight here.
    const sent = request(new URL(path, url), { headers: { 'accept-encoding': 'br' } })
    sent.end()
    const [answer] = await once(sent, 'response')
    const pieces: Buffer[] = []
    for await (const piece of answer) pieces.push(piece)
    const { connection: _, 'transfer-encoding': __, ...headers } = answer.headers as OutgoingHttpHeaders
    let body = Buffer.concat(pieces)
    if (String(headers['content-type']).startsWith('text/html')) {
      const html = headers['content-encoding'] === 'br' ? brotliDecompressSync(body) : body
      body = brotliCompressSync(html.toString().replaceAll(SCRIPTED, '').replace(' data-solo-primera=""', ''))
      headers['content-encoding'] = 'br'
    }
    return { status: answer.statusCode, headers: { ...headers, 'content-length': body.length }, body }
  }
  const server = createServer(async ({ url: path = '/', headers: asked }, response) => {
    // A video is asked for in parts, which are not kept.
    const known = asked.range ? keep(path) : (kept.get(path) ?? keep(path))
    if (!asked.range) kept.set(path, known)
    const { status, headers, body } = await known.catch(() => ({ status: 502, headers: {}, body: Buffer.alloc(0) }))
    response.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
