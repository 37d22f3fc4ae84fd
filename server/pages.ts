import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCallback } from 'node:zlib'
import type { Phase } from '#app/cms/edition-settings/schema.ts'
import type { RenderedPage } from '#app/cms/publishing/publications.server.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { ORIGIN_PLACEHOLDER } from '#app/core/http/services.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { contentSecurityPolicy, securityHeaders } from './security-headers.ts'

/** The list that scripts/build-steps/render-pages.ts writes beside the rendered files. */
export interface PagesManifest {
  pages: PageEntry[]
}

export interface PageEntry {
  /** Path of the URL, without query. */
  path: string
  /** File name in build/pages. */
  file: string
  /** Headers of the response: type, name of a download, and scope of a service worker. */
  headers: Record<string, string>
}

/**
 * Cache-Control of prefetched pages. Without `max-age` the browser would revalidate the page at the click, which takes a round
 * trip; with it a visitor may see the previous publication for a minute.
 */
const PREFETCH_CACHE_CONTROL = 'private, max-age=60'

type Encoding = 'br' | 'gzip' | 'identity'

/** A response in every encoding. */
export interface CompressedResponse {
  etag: string
  /** Header names and values alternate, as writeHead takes them. */
  heads: Record<Encoding, string[]>
  bodies: Record<Encoding, Buffer>
}

/** The pages that are rendered ahead, screens and resources, in memory in every encoding. */
export interface Pages {
  /** Hashes of the pages' inline styles, which dynamic screens share. */
  styleHashes: string[]
  /** Stops recompression, after other pages have replaced these. */
  end(): void
  /**
   * Sends a page. Its first request starts, in the background, a compression with the best effort.
   * @param phase current phase; a screen that was rendered in another phase, or in none, is first rendered again
   * @returns false when the request is not for a prerendered page
   */
  answer(request: IncomingMessage, response: ServerResponse, phase?: Phase): boolean
}

export type RenderIn = (path: string, phase: Phase) => Promise<Response>

interface CachedPage {
  rendered: RenderedPage
  response: CompressedResponse
  /** Compresses the page with the best effort; undefined once it has been called. */
  recompress: (() => Promise<CompressedResponse>) | undefined
  /** Phase of the latest rendering, which may still run or have failed; undefined before, and for a retry. */
  phase?: Phase
  /** Rendering under way, if there is one; it never rejects. */
  rendering?: Promise<void> | undefined
}

/** Cache-Control of pages: the browser asks at each use whether the page has changed. */
const REVALIDATE = 'no-cache'
const RENDER_RETRY_MS = 10_000

export const brotli = promisify(brotliCompress)
export const gzip = promisify(gzipCallback)

/** Quality of Brotli and level of gzip: quick before an answer, best in the background. */
const EFFORTS = { quick: [4, 1], best: [11, 9] } as const

type Effort = keyof typeof EFFORTS

async function compress(body: Buffer, effort: Effort): Promise<CompressedResponse['bodies']> {
  const [quality, level] = EFFORTS[effort]
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
  }
  return { identity: body, br: await brotli(body, { params }), gzip: await gzip(body, { level }) }
}

/** Reads the pages of content/, which the build rendered. */
export async function readBuiltPages(folder: string): Promise<RenderedPage[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as PagesManifest
  return Promise.all(
    manifest.pages.map(async ({ path, file, headers }) => ({
      ruta: path,
      cabeceras: headers,
      cuerpo: await readFile(join(folder, file)),
    })),
  )
}

/** Loads pages into memory. `publicUrl` replaces the placeholder of the origin in them. */
export async function loadPages(
  renderedPages: RenderedPage[],
  { publicUrl, hsts }: Pick<Settings, 'publicUrl' | 'hsts'>,
  renderIn: RenderIn,
): Promise<Pages> {
  const isHttps = publicUrl.startsWith('https:')
  const cachedPages = new Map<string, CachedPage>()
  const styleHashes = new Set<string>()
  let hasEnded = false
  /** The last recompression; they run in the background, one after the other. */
  let recompressing = Promise.resolve()
  const prepare = async (renderedPage: RenderedPage): Promise<CachedPage> => {
    const { cabeceras: headers, cuerpo } = renderedPage
    const text = cuerpo.toString().replaceAll(ORIGIN_PLACEHOLDER, () => publicUrl)
    if (isHtml(headers)) for (const style of hashesOf(text, 'style')) styleHashes.add(style)
    const body = Buffer.from(text)
    const compressWith = (effort: Effort) => compressResponse(body, headers, { isHttps, hsts }, effort)
    return { rendered: renderedPage, response: await compressWith('quick'), recompress: () => compressWith('best') }
  }
  await Promise.all(renderedPages.map(async (rendered) => cachedPages.set(rendered.ruta, await prepare(rendered))))

  /**
   * Renders a page in another phase. After a failure the page stays as it was, and the browser shows the phase after hydration; the
   * first request after RENDER_RETRY_MS renders it again.
   */
  function renderAgain(page: CachedPage, phase: Phase): void {
    const { rendered } = page
    page.phase = phase
    const rendering = renderIn(rendered.ruta, phase)
      .then(async (response) => {
        if (response.status !== 200) throw new Error(`${rendered.ruta} answered ${response.status}`)
        return prepare({ ...rendered, cuerpo: Buffer.from(await response.arrayBuffer()) })
      })
      .then(({ response, recompress }) => {
        if (page.phase === phase) Object.assign(page, { response, recompress })
      })
      .catch(() => {
        const allowRetry = () => {
          if (page.phase === phase) delete page.phase
        }
        setTimeout(allowRetry, RENDER_RETRY_MS).unref()
      })
      .finally(() => {
        if (page.rendering === rendering) page.rendering = undefined
      })
    page.rendering = rendering
  }

  return {
    styleHashes: [...styleHashes],
    end() {
      hasEnded = true
    },
    answer(request, response, phase) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const url = request.url!
      const queryStart = url.indexOf('?')
      const page = cachedPages.get(queryStart === -1 ? url : url.slice(0, queryStart))
      if (!page) return false
      const isScreen = isHtml(page.rendered.cabeceras) || page.rendered.ruta.endsWith('.data')
      if (phase && isScreen && page.phase !== phase) renderAgain(page, phase)
      const answerNow = () => {
        const { response: currentResponse, recompress } = page
        if (recompress) {
          page.recompress = undefined
          recompressing = recompressing.then(async () => {
            const bestResponse = hasEnded ? currentResponse : await recompress()
            // The page may have been rendered again in the meantime.
            if (page.response === currentResponse) page.response = bestResponse
          })
          // A page that cannot be recompressed is sent as it is.
          recompressing = recompressing.catch(() => {})
        }
        sendCompressed(
          currentResponse,
          request,
          response,
          request.headers['sec-purpose'] === 'prefetch' ? PREFETCH_CACHE_CONTROL : undefined,
        )
      }
      if (page.rendering) void page.rendering.then(answerNow)
      else answerNow()
      return true
    },
  }
}

/**
 * Compresses a response in every encoding, with a content security policy for its inline scripts and styles.
 * @param headers as in `PageEntry`
 */
export async function compressResponse(
  body: Buffer,
  headers: Record<string, string>,
  { isHttps, hsts }: { isHttps: boolean; hsts: string | undefined },
  effort: Effort,
): Promise<CompressedResponse> {
  const text = isHtml(headers) ? body.toString() : ''
  const sources = {
    scriptSources: hashesOf(text, 'script'),
    styleSources: hashesOf(text, 'style'),
    hasWorker: 'service-worker-allowed' in headers,
  }
  const policy = isHtml(headers) ? contentSecurityPolicy(sources, isHttps) : NO_DOCUMENT_POLICY
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  const bodies = await compress(body, effort)
  const headFor = (encoding: Encoding) =>
    Object.entries({
      ...securityHeaders(hsts),
      ...headers,
      'cache-control': REVALIDATE,
      vary: 'accept-encoding',
      'content-security-policy': policy,
      // The ETag is weak, since the page is the same in every encoding.
      etag: `W/"${etag}"`,
      'content-length': String(bodies[encoding].byteLength),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }).flat()
  return { etag, bodies, heads: { identity: headFor('identity'), br: headFor('br'), gzip: headFor('gzip') } }
}

export const bestEncoding = (acceptEncoding: string): Encoding =>
  acceptEncoding.includes('br') ? 'br' : acceptEncoding.includes('gzip') ? 'gzip' : 'identity'

/**
 * Sends a compressed response, or 304 if the browser has it already.
 * @param cacheControl replaces `no-cache`
 */
export function sendCompressed(
  { etag, bodies, heads }: CompressedResponse,
  request: IncomingMessage,
  response: ServerResponse,
  cacheControl?: string,
): void {
  const encoding = bestEncoding(request.headers['accept-encoding'] ?? '')
  const head = cacheControl
    ? heads[encoding].map((value) => (value === REVALIDATE ? cacheControl : value))
    : heads[encoding]
  if (request.headers['if-none-match']?.includes(etag)) response.writeHead(304, head.filter(isNotAboutBody)).end()
  else if (request.method === 'HEAD') response.writeHead(200, head).end()
  else response.writeHead(200, head).end(bodies[encoding])
}

const isHtml = (headers: Record<string, string>) => headers['content-type']?.startsWith('text/html') ?? false

/** Returns whether an item of a head, a name or a value, is of a header that a 304 has, too. A 304 has no body. */
function isNotAboutBody(_value: string, index: number, head: string[]): boolean {
  const name = head[index - (index % 2)]!
  return name !== 'content-length' && name !== 'content-encoding' && name !== 'content-type'
}

/** Returns the sources of a content security policy for a document's inline elements. JSON-LD is data, and needs no source. */
function hashesOf(html: string, element: 'script' | 'style'): string[] {
  const inlinePattern = new RegExp(
    `<${element}(?![^>]*\\s(?:src=|type="application/ld\\+json"))[^>]*>([\\s\\S]*?)</${element}>`,
    'g',
  )
  const bodies = [...html.matchAll(inlinePattern)].map(([, body]) => body!)
  return [...new Set(bodies.map((body) => `sha256-${createHash('sha256').update(body).digest('base64')}`))]
}
