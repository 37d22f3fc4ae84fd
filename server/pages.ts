import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { contentSecurityPolicy, NO_DOCUMENT_POLICY, securityHeaders } from './policy.ts'

/** What scripts/pages.ts writes beside the rendered files. */
export interface PagesManifest {
  pages: PageEntry[]
  /** Hashes of the inline styles, which the dynamic screens share. */
  styles: string[]
}

export interface PageEntry {
  /** The address that it answers, without query. */
  path: string
  file: string
  contentType: string
  etag: string
  /** Hashes of its inline pieces; undefined for what is no document. */
  inline?: { scripts: string[]; styles: string[] }
}

type Encoding = 'br' | 'gzip' | 'identity'

interface Ready {
  etag: string
  /** Header names and values in turn, as writeHead takes them. */
  heads: Record<Encoding, string[]>
  bodies: Record<Encoding, Buffer>
}

/** Screens rendered ahead, in memory in every encoding: one look-up an answer. */
export interface Pages {
  styles: string[]
  /** @returns false when the request is not for one of them */
  answer(request: IncomingMessage, response: ServerResponse): boolean
}

export async function loadPages(folder: string, secure: boolean): Promise<Pages> {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as PagesManifest
  const ready = new Map<string, Ready>()
  for (const page of manifest.pages) {
    const [identity, br, gzip] = await Promise.all(
      ['', '.br', '.gz'].map((suffix) => readFile(join(folder, page.file + suffix))),
    )
    const bodies = { identity: identity!, br: br!, gzip: gzip! }
    const common = {
      ...securityHeaders(secure),
      'content-type': page.contentType,
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
      'content-security-policy': page.inline ? contentSecurityPolicy(page.inline, secure) : NO_DOCUMENT_POLICY,
    }
    const head = (encoding: Encoding) =>
      Object.entries({
        ...common,
        etag: `"${page.etag}-${encoding}"`,
        'content-length': String(bodies[encoding].byteLength),
        ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      }).flat()
    ready.set(page.path, {
      etag: page.etag,
      bodies,
      heads: { identity: head('identity'), br: head('br'), gzip: head('gzip') },
    })
  }

  return {
    styles: manifest.styles,
    answer(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const url = request.url!
      const query = url.indexOf('?')
      const page = ready.get(query === -1 ? url : url.slice(0, query))
      if (!page) return false
      const accepted = request.headers['accept-encoding'] ?? ''
      const encoding = accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : 'identity'
      const seen = request.headers['if-none-match']
      if (seen?.includes(page.etag)) response.writeHead(304, page.heads[encoding].filter(notAboutTheBody)).end()
      else if (request.method === 'HEAD') response.writeHead(200, page.heads[encoding]).end()
      else response.writeHead(200, page.heads[encoding]).end(page.bodies[encoding])
      return true
    },
  }
}

/** A 304 has no length and no encoding of its own. */
function notAboutTheBody(_value: string, at: number, heads: string[]): boolean {
  const name = heads[at - (at % 2)]!
  return name !== 'content-length' && name !== 'content-encoding' && name !== 'content-type'
}
