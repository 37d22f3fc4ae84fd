import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { RenderedPage } from '#app/cms/publishing/publications.server.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { ORIGIN_TO_COME } from '#app/core/http/services.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { contentSecurityPolicy, securityHeaders } from './security-headers.ts'

/** The list that scripts/builder/render-pages.ts writes beside the rendered files. */
export interface PagesManifest {
  pages: PageEntry[]
}

export interface PageEntry {
  /** The address that the file answers, without query. */
  path: string
  file: string
  /** Headers of its own: type, and name of a download. */
  headers: Record<string, string>
}

/**
 * Of what a browser fetches ahead: without an age it would ask for it once more at the press, which is a round trip. It
 * is a minute at most that a visitor can be shown what was published before, and only within a visit.
 */
const AHEAD = 'private, max-age=60'

type Encoding = 'br' | 'gzip' | 'identity'

/** An answer, packed in every encoding. */
export interface Ready {
  etag: string
  /** Header names and values in turn, as writeHead takes them. */
  heads: Record<Encoding, string[]>
  bodies: Record<Encoding, Buffer>
}

/** Screens rendered ahead, in memory in every encoding: one look-up an answer. */
export interface Pages {
  /** Hashes of the inline styles, which the dynamic screens share. */
  styles: string[]
  /** Others have taken their place: they are packed no tighter. */
  end(): void
  /**
   * Sends a page as tightly packed as it is by then: behind its first answer it is packed as tightly as it gets.
   * @returns false when the request is not for one of them
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean
}

const ALWAYS_ASKED = 'no-cache'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Brotli's and gzip's effort: what a start can wait for, and the tightest. */
const EFFORTS = { quick: [4, 1], best: [11, 9] } as const

type Effort = keyof typeof EFFORTS

async function pack(body: Buffer, effort: Effort): Promise<Ready['bodies']> {
  const [quality, level] = EFFORTS[effort]
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
  }
  return { identity: body, br: await brotli(body, { params }), gzip: await zip(body, { level }) }
}

/** What the build rendered of content/. */
export async function readBuilt(folder: string): Promise<RenderedPage[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as PagesManifest
  return Promise.all(
    manifest.pages.map(async ({ path, file, headers }) => ({
      ruta: path,
      cabeceras: headers,
      cuerpo: await readFile(join(folder, file)),
    })),
  )
}

/** @param settings its `publicUrl` takes the place of the origin that the pages were rendered with */
export async function loadPages(
  renderedPages: RenderedPage[],
  { publicUrl, hsts }: Pick<Settings, 'publicUrl' | 'hsts'>,
): Promise<Pages> {
  const secure = publicUrl.startsWith('https:')
  const ready = new Map<string, { sent: Ready; tighten: (() => Promise<Ready>) | undefined }>()
  const styles = new Set<string>()
  let isOver = false
  /** Behind the requests, never two pages at once. */
  let tightening = Promise.resolve()
  const prepare = async ({ ruta: path, cabeceras: headers, cuerpo }: RenderedPage) => {
    const text = cuerpo.toString().replaceAll(ORIGIN_TO_COME, () => publicUrl)
    if (isHtml(headers)) for (const style of hashesOf(text, 'style')) styles.add(style)
    const body = Buffer.from(text)
    const pack = (effort: Effort) => readyToSend(body, headers, { secure, hsts }, effort)
    ready.set(path, { sent: await pack('quick'), tighten: () => pack('best') })
  }
  await Promise.all(renderedPages.map(prepare))

  return {
    styles: [...styles],
    end() {
      isOver = true
    },
    answer(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const url = request.url!
      const query = url.indexOf('?')
      const page = ready.get(query === -1 ? url : url.slice(0, query))
      if (!page) return false
      const { tighten } = page
      if (tighten) {
        page.tighten = undefined
        tightening = tightening.then(async () => {
          if (!isOver) page.sent = await tighten()
        })
        // As it is packed already it can be sent as well.
        tightening = tightening.catch(() => {})
      }
      send(page.sent, request, response, request.headers['sec-purpose'] === 'prefetch' ? AHEAD : undefined)
      return true
    },
  }
}

/**
 * Packs an answer, with a policy made for its inline pieces.
 * @param the answer's own: type, and name of a download
 */
export async function readyToSend(
  body: Buffer,
  headers: Record<string, string>,
  { secure, hsts }: { secure: boolean; hsts: string | undefined },
  effort: Effort,
): Promise<Ready> {
  const text = isHtml(headers) ? body.toString() : ''
  const inline = {
    scripts: hashesOf(text, 'script'),
    styles: hashesOf(text, 'style'),
    hasWorker: 'service-worker-allowed' in headers,
  }
  const policy = isHtml(headers) ? contentSecurityPolicy(inline, secure) : NO_DOCUMENT_POLICY
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  const bodies = await pack(body, effort)
  const head = (encoding: Encoding) =>
    Object.entries({
      ...securityHeaders(hsts),
      ...headers,
      'cache-control': ALWAYS_ASKED,
      vary: 'accept-encoding',
      'content-security-policy': policy,
      // The tag is weak, since the page is the same whichever way it is packed.
      etag: `W/"${etag}"`,
      'content-length': String(bodies[encoding].byteLength),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }).flat()
  return { etag, bodies, heads: { identity: head('identity'), br: head('br'), gzip: head('gzip') } }
}

/** @param keeping how long the browser may keep the answer without asking, where that is allowed */
export function send(
  { etag, bodies, heads }: Ready,
  request: IncomingMessage,
  response: ServerResponse,
  keeping?: string,
): void {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : 'identity'
  const head = keeping ? heads[encoding].map((value) => (value === ALWAYS_ASKED ? keeping : value)) : heads[encoding]
  const seen = request.headers['if-none-match']
  if (seen?.includes(etag)) response.writeHead(304, head.filter(notAboutTheBody)).end()
  else if (request.method === 'HEAD') response.writeHead(200, head).end()
  else response.writeHead(200, head).end(bodies[encoding])
}

const isHtml = (headers: Record<string, string>) => headers['content-type']?.startsWith('text/html') ?? false

/** A 304 has no length and no encoding of its own. */
function notAboutTheBody(_value: string, at: number, heads: string[]): boolean {
  const name = heads[at - (at % 2)]!
  return name !== 'content-length' && name !== 'content-encoding' && name !== 'content-type'
}

/** A policy's sources for the inline pieces of a document; JSON-LD, which is only data, needs none. */
function hashesOf(html: string, element: 'script' | 'style'): string[] {
  const inline = new RegExp(
    `<${element}(?![^>]*\\s(?:src=|type="application/ld\\+json"))[^>]*>([\\s\\S]*?)</${element}>`,
    'g',
  )
  const bodies = [...html.matchAll(inline)].map(([, body]) => body!)
  return [...new Set(bodies.map((body) => `sha256-${createHash('sha256').update(body).digest('base64')}`))]
}
