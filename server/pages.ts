import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Phase } from '#app/cms/edition-settings/schema.ts'
import type { RenderedPage } from '#app/cms/publishing/publications.server.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { ORIGIN_PLACEHOLDER } from '#app/core/http/services.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { contentSecurityPolicy, securityHeaders } from './security-headers.ts'

/** scripts/build-steps/render-pages.ts writes this list beside the rendered files. */
export interface PagesManifest {
  pages: PageEntry[]
}

export interface PageEntry {
  /** The address that the file answers, without query. */
  path: string
  file: string
  /** The answer's own headers: type, and name of a download. */
  headers: Record<string, string>
}

/**
 * Prefetched pages have this Cache-Control: without an age, the browser would ask again at the click, which is a round trip. A
 * visitor sees an older publication for a minute at most, and only within a visit.
 */
const AHEAD = 'private, max-age=60'

type Encoding = 'br' | 'gzip' | 'identity'

/** A ready answer is compressed in every encoding. */
export interface Ready {
  etag: string
  /** `heads` are header names and values in turn, as writeHead takes them. */
  heads: Record<Encoding, string[]>
  bodies: Record<Encoding, Buffer>
}

/** The prerendered screens are in memory in every encoding: one look-up an answer. */
export interface Pages {
  /** The hashes of the inline styles, which the dynamic screens share. */
  styles: string[]
  /** Stops recompression, once other pages have replaced these. */
  end(): void
  /**
   * Sends a page as it is compressed by then; its first answer makes it be compressed at the best effort in the background.
   * @param phase the page is first rendered in this phase, unless it has been
   * @returns false when the request is not for a prerendered page
   */
  answer(request: IncomingMessage, response: ServerResponse, phase?: Phase): boolean
}

/** Renders the public screen of a path in a phase. */
export type RenderIn = (path: string, phase: Phase) => Promise<Response>

interface KeptPage {
  rendered: RenderedPage
  sent: Ready
  tighten: (() => Promise<Ready>) | undefined
  /** The page has this phase, or is being rendered in it. */
  phase?: Phase
  rendering?: Promise<void> | undefined
}

const ALWAYS_ASKED = 'no-cache'
const RENDER_AGAIN_MS = 10_000

export const brotli = promisify(brotliCompress)
export const zip = promisify(gzip)

/** Brotli and gzip work with these efforts: quick for a start, best in the background. */
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

/** Reads the pages that the build rendered of content/. */
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

/**
 * Loads pages into memory.
 * @param settings its `publicUrl` takes the place of the origin that the pages were rendered with
 */
export async function loadPages(
  renderedPages: RenderedPage[],
  { publicUrl, hsts }: Pick<Settings, 'publicUrl' | 'hsts'>,
  renderIn: RenderIn,
): Promise<Pages> {
  const secure = publicUrl.startsWith('https:')
  const ready = new Map<string, KeptPage>()
  const styles = new Set<string>()
  let isOver = false
  /** Recompression runs in the background, never of two pages at once. */
  let tightening = Promise.resolve()
  const prepare = async (rendered: RenderedPage): Promise<KeptPage> => {
    const { cabeceras: headers, cuerpo } = rendered
    const text = cuerpo.toString().replaceAll(ORIGIN_PLACEHOLDER, () => publicUrl)
    if (isHtml(headers)) for (const style of hashesOf(text, 'style')) styles.add(style)
    const body = Buffer.from(text)
    const pack = (effort: Effort) => readyToSend(body, headers, { secure, hsts }, effort)
    return { rendered, sent: await pack('quick'), tighten: () => pack('best') }
  }
  await Promise.all(renderedPages.map(async (rendered) => ready.set(rendered.ruta, await prepare(rendered))))

  /**
   * Renders a page in a phase. A page that cannot be rendered stays as it was, shows its phase after hydration, and is rendered again
   * by a request after RENDER_AGAIN_MS.
   */
  function renderAnew(page: KeptPage, phase: Phase): void {
    const { rendered } = page
    page.phase = phase
    const rendering = renderIn(rendered.ruta, phase)
      .then(async (answer) => {
        if (answer.status !== 200) throw new Error(`${rendered.ruta} answered ${answer.status}`)
        return prepare({ ...rendered, cuerpo: Buffer.from(await answer.arrayBuffer()) })
      })
      .then((kept) => {
        if (page.phase === phase) Object.assign(page, { sent: kept.sent, tighten: kept.tighten })
      })
      .catch(() => {
        const forget = () => {
          if (page.phase === phase) delete page.phase
        }
        setTimeout(forget, RENDER_AGAIN_MS).unref()
      })
      .finally(() => {
        if (page.rendering === rendering) page.rendering = undefined
      })
    page.rendering = rendering
  }

  return {
    styles: [...styles],
    end() {
      isOver = true
    },
    answer(request, response, phase) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const url = request.url!
      const query = url.indexOf('?')
      const page = ready.get(query === -1 ? url : url.slice(0, query))
      if (!page) return false
      const isScreen = isHtml(page.rendered.cabeceras) || page.rendered.ruta.endsWith('.data')
      if (phase && isScreen && page.phase !== phase) renderAnew(page, phase)
      const answerNow = () => {
        const { sent, tighten } = page
        if (tighten) {
          page.tighten = undefined
          tightening = tightening.then(async () => {
            const tight = isOver ? sent : await tighten()
            // The page may have been rendered anew meanwhile.
            if (page.sent === sent) page.sent = tight
          })
          // A page that cannot be recompressed is sent as it is.
          tightening = tightening.catch(() => {})
        }
        send(sent, request, response, request.headers['sec-purpose'] === 'prefetch' ? AHEAD : undefined)
      }
      if (page.rendering) void page.rendering.then(answerNow)
      else answerNow()
      return true
    },
  }
}

/**
 * Compresses an answer, with a content security policy for its inline scripts and styles.
 * @param headers the answer's own: type, and name of a download
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
      // The ETag is weak, since the page is the same in every encoding.
      etag: `W/"${etag}"`,
      'content-length': String(bodies[encoding].byteLength),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }).flat()
  return { etag, bodies, heads: { identity: head('identity'), br: head('br'), gzip: head('gzip') } }
}

/** Chooses the encoding of an answer. @param accepted the request's Accept-Encoding */
export const bestEncoding = (accepted: string): Encoding =>
  accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : 'identity'

/**
 * Sends a ready answer, or 304 where the browser has it.
 * @param cacheControl takes the place of `no-cache`, where the browser may keep the answer for a while
 */
export function send(
  { etag, bodies, heads }: Ready,
  request: IncomingMessage,
  response: ServerResponse,
  cacheControl?: string,
): void {
  const encoding = bestEncoding(request.headers['accept-encoding'] ?? '')
  const head = cacheControl
    ? heads[encoding].map((value) => (value === ALWAYS_ASKED ? cacheControl : value))
    : heads[encoding]
  const seen = request.headers['if-none-match']
  if (seen?.includes(etag)) response.writeHead(304, head.filter(isNotAboutBody)).end()
  else if (request.method === 'HEAD') response.writeHead(200, head).end()
  else response.writeHead(200, head).end(bodies[encoding])
}

const isHtml = (headers: Record<string, string>) => headers['content-type']?.startsWith('text/html') ?? false

/** Returns whether a header is not about the body: a 304 has no body, so headers about the body are left out. */
function isNotAboutBody(_value: string, at: number, heads: string[]): boolean {
  const name = heads[at - (at % 2)]!
  return name !== 'content-length' && name !== 'content-encoding' && name !== 'content-type'
}

/** Returns a policy's sources for the inline pieces of a document; JSON-LD, which is only data, needs none. */
function hashesOf(html: string, element: 'script' | 'style'): string[] {
  const inline = new RegExp(
    `<${element}(?![^>]*\\s(?:src=|type="application/ld\\+json"))[^>]*>([\\s\\S]*?)</${element}>`,
    'g',
  )
  const bodies = [...html.matchAll(inline)].map(([, body]) => body!)
  return [...new Set(bodies.map((body) => `sha256-${createHash('sha256').update(body).digest('base64')}`))]
}
