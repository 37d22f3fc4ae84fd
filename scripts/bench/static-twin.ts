import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

interface CachedAnswer {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/** A static page would not have this markup: scripts other than JSON-LD, and module preloads. */
const SCRIPTED = /<script(?![^>]*application\/ld\+json)\b[^>]*>[\s\S]*?<\/script>|<link rel="modulepreload"[^>]*>/g

/**
 * Serves the static twin of a site from memory: every document without its scripts, every file as the site sends it, with the
 * site's own headers. No static site generator can be faster.
 * @param url of the site
 */
export async function startStaticTwin(url: string): Promise<{ url: string; stop(): void }> {
  const cachedAnswers = new Map<string, Promise<CachedAnswer>>()
  const cacheAnswer = async (path: string): Promise<CachedAnswer> => {
    // The site compresses a page at the highest level after its first answer; the twin does so at once.
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
  const server = createServer(async ({ url: path = '/', headers: requestHeaders }, response) => {
    // Range requests, for videos, are not kept.
    const known = requestHeaders.range ? cacheAnswer(path) : (cachedAnswers.get(path) ?? cacheAnswer(path))
    if (!requestHeaders.range) cachedAnswers.set(path, known)
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
