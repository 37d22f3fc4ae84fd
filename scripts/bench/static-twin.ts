import { once } from 'node:events'
import { createServer, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

interface TwinResponse {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/** Matches scripts other than JSON-LD, and module preloads: a static page has neither. */
const SCRIPT_MARKUP = /<script(?![^>]*application\/ld\+json)\b[^>]*>[\s\S]*?<\/script>|<link rel="modulepreload"[^>]*>/g

/**
 * Serves the static twin of a site from memory: its documents without scripts, and its files, with the site's own headers. The twin
 * is as fast as the result of a static site generator could be.
 * @param url of the site
 */
export async function startStaticTwin(url: string): Promise<{ url: string; stop(): void }> {
  const cachedResponses = new Map<string, Promise<TwinResponse>>()
  const fetchTwinResponse = async (path: string): Promise<TwinResponse> => {
    const request = httpRequest(new URL(path, url), { headers: { 'accept-encoding': 'br' } })
    request.end()
    const [siteResponse] = await once(request, 'response')
    const parts: Buffer[] = []
    for await (const part of siteResponse) parts.push(part)
    const { connection: _, 'transfer-encoding': __, ...headers } = siteResponse.headers as OutgoingHttpHeaders
    let body = Buffer.concat(parts)
    if (String(headers['content-type']).startsWith('text/html')) {
      const html = headers['content-encoding'] === 'br' ? brotliDecompressSync(body) : body
      // data-first-picture-only makes pages keep fallback fonts until a script removes it
      // (app/core/http/prioritize-first-picture.server.ts).
      const twinHtml = html.toString().replaceAll(SCRIPT_MARKUP, '').replace(' data-first-picture-only=""', '')
      // The twin uses brotli's highest level at once: the site reaches it after a prerendered page's first answer, and never for
      // a dynamic page.
      body = brotliCompressSync(twinHtml)
      headers['content-encoding'] = 'br'
    }
    return { status: siteResponse.statusCode, headers: { ...headers, 'content-length': body.length }, body }
  }
  const server = createServer(async ({ url: path = '/', headers: requestHeaders }, response) => {
    // A range request gets the whole file, which is not kept in memory: only videos are requested by range, and videos are not
    // measured. A failed response is kept, so that its path gets 502 until the twin stops.
    const twinResponse = requestHeaders.range
      ? fetchTwinResponse(path)
      : (cachedResponses.get(path) ?? fetchTwinResponse(path))
    if (!requestHeaders.range) cachedResponses.set(path, twinResponse)
    const { status, headers, body } = await twinResponse.catch(() => ({
      status: 502,
      headers: {},
      body: Buffer.alloc(0),
    }))
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
