import { once } from 'node:events'
import { createServer, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

interface Answer {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/** A static page would not have this markup: scripts other than JSON-LD, and module preloads. */
const SCRIPT_MARKUP = /<script(?![^>]*application\/ld\+json)\b[^>]*>[\s\S]*?<\/script>|<link rel="modulepreload"[^>]*>/g

/**
 * Serves the static twin of a site from memory: every document without its scripts, every file whole, with the site's own
 * headers. This is the lower bound that a static site generator could reach.
 * @param url of the site
 */
export async function startStaticTwin(url: string): Promise<{ url: string; stop(): void }> {
  const cachedAnswers = new Map<string, Promise<Answer>>()
  const fetchAnswer = async (path: string): Promise<Answer> => {
    const request = httpRequest(new URL(path, url), { headers: { 'accept-encoding': 'br' } })
    request.end()
    const [answer] = await once(request, 'response')
    const pieces: Buffer[] = []
    for await (const piece of answer) pieces.push(piece)
    const { connection: _, 'transfer-encoding': __, ...headers } = answer.headers as OutgoingHttpHeaders
    let body = Buffer.concat(pieces)
    if (String(headers['content-type']).startsWith('text/html')) {
      const html = headers['content-encoding'] === 'br' ? brotliDecompressSync(body) : body
      // A script takes this mark away (defer-scripts.server.ts); without scripts the twin would keep its fallback fonts. The site
      // compresses a page at the highest level after its first answer; the twin does so at once.
      body = brotliCompressSync(
        html.toString().replaceAll(SCRIPT_MARKUP, '').replace(' data-first-picture-only=""', ''),
      )
      headers['content-encoding'] = 'br'
    }
    return { status: answer.statusCode, headers: { ...headers, 'content-length': body.length }, body }
  }
  const server = createServer(async ({ url: path = '/', headers: requestHeaders }, response) => {
    // A range request gets the whole file, which is not kept in memory: only videos are asked for by range, and the figures leave
    // videos out. A failed answer is kept, so that its path gets 502 until the twin stops.
    const answer = requestHeaders.range ? fetchAnswer(path) : (cachedAnswers.get(path) ?? fetchAnswer(path))
    if (!requestHeaders.range) cachedAnswers.set(path, answer)
    const { status, headers, body } = await answer.catch(() => ({ status: 502, headers: {}, body: Buffer.alloc(0) }))
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
