import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { constants } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { METHOD_NAME_ALL } from 'hono/router'
import { hasTooManyFields } from '#app/core/http/form-limits.server.ts'
import { loadStylesheets } from '#app/core/http/inline-styles.server.ts'
import { proxyWarning } from '#app/core/http/proxy-check.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { CROSS_ORIGIN_FORM_MESSAGE, isSameOriginForm } from '#app/core/http/same-origin.server.ts'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { readTraceContext } from '#app/core/http/trace-context.server.ts'
import { inGroups, randomCode } from '#app/core/text/random-codes.ts'
import { EARLY_ROUTES } from '#app/early-routes.server.ts'
import { assetResponse, loadBuildAssets } from './assets.ts'
import { clientAddress, hasUntrustedProxyHeader } from './client-address.ts'
import { createNotFound } from './not-found.ts'
import { bestEncoding, brotli, gzip } from './pages.ts'
import { createPreviewReader, mayBePreview } from './preview-request.ts'
import { contextFor, isUrgentForm, renderDynamic, routeFactsAt, showsFrames, takesFiles } from './render.ts'
import { createRenderTurns } from './render-turns.ts'
import { contentSecurityPolicy, securityHeaders } from './security-headers.ts'
import type { Site } from './services.ts'

type Env = { Bindings: HttpBindings; Variables: { facts: RequestFacts; site: Site } }

export interface AppOptions {
  site: Site
  buildDir: string
  /** Returns the hashes of the inline styles in the current publication's documents, for the content security policy. */
  inlineStyleHashes(): string[]
  /** Files of the build by path, to which an upgrade may add. If it is undefined, the files are read from `buildDir`. */
  assets?: Awaited<ReturnType<typeof loadBuildAssets>>
}

/** Limit for a form without files: enough for the longest texts of its fields, if each character takes nine bytes. */
const MAX_FORM_BYTES = 256_000

/** The response to a form that an organiser sends from the draft preview. */
const PREVIEW_ONLY_MESSAGE =
  'Estás viendo el sitio como quedaría: desde aquí no se envía nada. Sal de la vista previa para usarlo de verdad.'

/** Status in the log of a request whose connection closed before the app's answer, as in nginx and in the metrics. */
const CLIENT_GONE_STATUS = 499

/**
 * Creates the app for the requests that server/main.ts does not answer itself. A request passes the handlers in their order here.
 */
export async function createApp({
  site,
  buildDir,
  inlineStyleHashes,
  assets: givenAssets,
}: AppOptions): Promise<Hono<Env>> {
  const { settings, log } = site.services
  const isHttps = settings.publicUrl.startsWith('https:')
  const assets = givenAssets ?? (await loadBuildAssets(buildDir))
  loadStylesheets(join(buildDir, 'client'))
  const app = new Hono<Env>()

  let hasWarnedOfProxy = false
  // 1. Every request gets its facts (id, client, nonce) and, unless it is a health check, a line in the log.
  app.use(async (c, next) => {
    const isForwarded = hasUntrustedProxyHeader(c.env.incoming.headers, settings.trustedProxies)
    if (isForwarded && !hasWarnedOfProxy) {
      hasWarnedOfProxy = true
      log.warn(proxyWarning(settings, true))
    }
    const { id, trace } = readTraceContext((name) => c.req.header(name), settings.trustedProxies)
    let nonce: string | undefined
    const facts: RequestFacts = {
      id: id ?? newRequestId(),
      // The nonce is made on demand, since only documents need it.
      get nonce() {
        nonce ??= randomBytes(16).toString('base64url')
        return nonce
      },
      client: clientAddress(
        c.env.incoming.socket.remoteAddress,
        c.req.header('x-forwarded-for'),
        settings.trustedProxies,
      ),
      isForwarded,
    }
    c.set('facts', facts)
    const startMs = performance.now()
    await next()
    c.res.headers.set('x-request-id', facts.id)
    if (c.req.path === '/healthz' || c.req.path === '/readyz') return
    const ms = Math.round(performance.now() - startMs)
    const status = c.env.incoming.socket.destroyed ? CLIENT_GONE_STATUS : c.res.status
    log.info({ id: facts.id, method: c.req.method, area: areaOf(c.req.path), status, ms, trace }, 'request')
  })

  // 2. Every response gets the security headers. They are set on the response itself, since Hono's own method would create a new
  // response for each header.
  const commonHeaders = Object.entries(securityHeaders(settings.hsts))
  app.use(async (c, next) => {
    await next()
    const { headers } = c.res
    for (const [name, value] of commonHeaders) headers.set(name, value)
    const policy = headers.get('content-security-policy')
    if (policy === null) headers.set('content-security-policy', NO_DOCUMENT_POLICY)
    // X-Frame-Options is for browsers that ignore `frame-ancestors`.
    else if (policy.includes("frame-ancestors 'self'")) headers.set('x-frame-options', 'SAMEORIGIN')
  })

  // 3. An organiser with a draft preview gets the preview, which takes no forms.
  const readPreview = createPreviewReader(site)
  app.use(async (c, next) => {
    c.set('site', site)
    const preview = mayBePreview(c.req.header('cookie')) ? await readPreview(c.req.raw) : undefined
    if (!preview) return next()
    if (!isReadMethod(c.req.method)) return c.text(PREVIEW_ONLY_MESSAGE, 403)
    c.set('site', preview.site)
    await preview.run(next)
    c.res.headers.set('cache-control', 'private, no-store')
    return undefined
  })

  // 4. Early routes are answered before the router.
  for (const { paths, methods, answer } of EARLY_ROUTES)
    for (const method of methods)
      app.on(method === 'ANY' ? METHOD_NAME_ALL : method, [...paths], async (c, next) => {
        return (await answer(c.req.raw, contextFor(c.get('site'), c.get('facts')))) ?? next()
      })

  // 5. Files of the build are served from memory.
  app.get('*', async (c, next) => {
    const asset = assets.get(c.req.path)
    return asset ? assetResponse(asset, c.req.path, c.req.header('accept-encoding') ?? '') : next()
  })

  // 6. A path with punctuation at its end, or with needless slashes at an end, redirects to the path without them.
  app.get('*', async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const canonicalPath = `/${withoutSlashes(withoutPunctuation(pathname))}`
    return canonicalPath === pathname ? next() : c.redirect(canonicalPath + search, 308)
  })

  const renderInTurn = createRenderTurns()
  const notFound = createNotFound(site)
  // 7. Screens and resources that are rendered on request, and forms, come last.
  app.all('*', async (c) => {
    const facts = c.get('facts')
    const originalRequest = c.req.raw
    const isRead = isReadMethod(originalRequest.method)
    const { pathname } = new URL(originalRequest.url)
    const isValid = isDecodable(pathname)
    const { methods, isScreen } = routeFactsAt(isValid ? pathname.replace(/\.data$/, '') : '/no-encontrada')
    if (!isRead && methods.length === 0) return c.text('Aquí no hay ninguna página.', 404)
    if (methods.length > 0 && !methods.includes(originalRequest.method))
      return c.text('Esta dirección no se usa así.', 405, { allow: methods.join(', ') })
    if (!isRead && !isSameOriginForm(originalRequest, settings.publicUrl)) return c.text(CROSS_ORIGIN_FORM_MESSAGE, 403)
    if (!isRead && !takesFiles(pathname)) {
      const length = originalRequest.headers.get('content-length')
      if (length === null) return c.text('Falta decir cuánto mide este envío.', 411)
      if (!(Number(length) <= MAX_FORM_BYTES)) return c.text('Este envío es demasiado largo.', 413)
      const refusal = length === '0' ? undefined : await formRefusalOf(originalRequest)
      if (refusal) return c.text(...refusal)
    }
    if (methods.length === 0 && !c.get('site').preview) return notFound(pathname, c.req.header('accept-encoding') ?? '')
    const request = isValid
      ? originalRequest
      : new Request(new URL('/no-encontrada', originalRequest.url), { method: originalRequest.method })
    const render = () => renderDynamic(request, c.get('site'), facts)
    const { client } = facts
    const response = await (isScreen
      ? renderInTurn({ client, isRead, isUrgent: isUrgentForm(pathname) }, render)
      : render())
    response.headers.set('cache-control', response.headers.get('cache-control') ?? 'private, no-store')
    // A document keeps a policy that its route has set.
    if (isDocument(response) && !response.headers.has('content-security-policy')) {
      const sources = {
        scriptSources: [`nonce-${facts.nonce}`],
        styleSources: [`nonce-${facts.nonce}`, ...inlineStyleHashes()],
        hasFrames: showsFrames(pathname),
        hasWorker: response.headers.has('service-worker-allowed'),
      }
      response.headers.set('content-security-policy', contentSecurityPolicy(sources, isHttps))
    }
    return compress(response, c.req.header('accept-encoding') ?? '')
  })

  app.onError((error, c) => {
    const { id } = c.get('facts')
    log.error({ id, err: error }, 'unexpected fault')
    return c.text(`Algo falló de nuestro lado. Inténtalo de nuevo; si sigue, dinos este número: ${id}`, 500)
  })
  return app
}

/** Lists the paths of the early routes in their order, for tests. */
export const earlyRoutePaths = (): string[] => EARLY_ROUTES.flatMap(({ paths }) => paths)

/** Checks that a body is a readable form. @returns message and status of the refusal; undefined for a readable form */
async function formRefusalOf(request: Request): Promise<[message: string, status: 400 | 413] | undefined> {
  try {
    const body = new Uint8Array(await request.clone().arrayBuffer())
    if (hasTooManyFields(body, request.headers.get('content-type') ?? ''))
      return ['Este envío tiene más campos que cualquier formulario de nuestro sitio.', 413]
    await request.clone().formData()
    return undefined
  } catch {
    return ['Este envío no es un formulario de nuestro sitio.', 400]
  }
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/**
 * Returns a path without punctuation at its end, which chat programs take for a part of the link. No path of the site ends with
 * punctuation.
 */
function withoutPunctuation(path: string): string {
  try {
    const decoded = decodeURIComponent(path)
    const trimmed = decoded.replace(/[\s.,;:!?¡¿'"’”»>)\]}*…]+$/u, '')
    return trimmed === decoded ? path : encodeURI(trimmed)
  } catch {
    return path
  }
}

/** Returns a path without the slashes at both ends, by loops: a regular expression would take quadratic time. */
function withoutSlashes(path: string): string {
  let [start, end] = [0, path.length]
  while (path[start] === '/') start++
  while (end > start && path[end - 1] === '/') end--
  return path.slice(start, end)
}

/** Makes an id that is short enough to be read out over the telephone, without the ambiguous letters i, l, o and u. */
const newRequestId = () => inGroups(randomCode(8, 'abcdefghjkmnpqrstvwxyz0123456789'), 4)

/** Returns the first segment of a path, which is logged alone: the rest may contain a person's name or the key of an upload. */
const areaOf = (path: string) => `/${path.split('/')[1] ?? ''}`

const isReadMethod = (method: string) => method === 'GET' || method === 'HEAD'

const isDocument = (response: Response) => response.headers.get('content-type')?.startsWith('text/html') ?? false

const MIN_BYTES_TO_COMPRESS = 1_000

/** Compresses a document, or an answer to the router's data request (text/x-script), of MIN_BYTES_TO_COMPRESS or more. */
async function compress(response: Response, acceptEncoding: string): Promise<Response> {
  const encoding = bestEncoding(acceptEncoding)
  if (
    encoding === 'identity' ||
    !response.body ||
    !/^text\/(html|x-script)/.test(response.headers.get('content-type') ?? '')
  )
    return response
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.append('vary', 'accept-encoding')
  if (body.byteLength < MIN_BYTES_TO_COMPRESS) return new Response(body, { status: response.status, headers })
  headers.set('content-encoding', encoding)
  headers.delete('content-length')
  const compressedBody =
    encoding === 'br' ? await brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) : await gzip(body)
  return new Response(new Uint8Array(compressedBody), { status: response.status, headers })
}
