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
import { answerAsset, loadBuild } from './assets.ts'
import { clientAddress, isForwardedUnheard } from './client-address.ts'
import { createNotFound } from './not-found.ts'
import { bestEncoding, brotli, zip } from './pages.ts'
import { createPreviewLook, mayBePreview } from './preview-request.ts'
import { addressAt, contextFor, goesFirst, renderDynamic, showsFrames, takesFiles } from './render.ts'
import { createRenderTurns } from './render-turns.ts'
import { contentSecurityPolicy, securityHeaders } from './security-headers.ts'
import type { Site } from './services.ts'

type Env = { Bindings: HttpBindings; Variables: { facts: RequestFacts; site: Site } }

export interface AppOptions {
  site: Site
  buildDir: string
  /** Returns the hashes of the inline styles in the documents of the current publication, for the content security policy. */
  inlineStyles(): string[]
  /** Maps paths to files of the build; an upgrade may add to this map. Undefined: the files are read from `buildDir`. */
  assets?: Awaited<ReturnType<typeof loadBuild>>
}

/**
 * A form without files may have this many bytes. They suffice for the longest texts of its fields, each character written as nine
 * bytes.
 */
const MAX_FORM_BYTES = 256_000

/** This text answers a form that an organiser sends from the draft preview. */
const PREVIEW_ONLY_MESSAGE =
  'Estás viendo el sitio como quedaría: desde aquí no se envía nada. Sal de la vista previa para usarlo de verdad.'

/** Creates the handlers of everything beyond the prerendered pages, in the order in which a request meets them. */
export async function createApp({ site, buildDir, inlineStyles, assets: givenAssets }: AppOptions): Promise<Hono<Env>> {
  const { settings, log } = site.services
  const secure = settings.publicUrl.startsWith('https:')
  const assets = givenAssets ?? (await loadBuild(buildDir))
  loadStylesheets(join(buildDir, 'client'))
  const app = new Hono<Env>()

  let hasWarnedOfProxy = false
  // 1. A request gets its facts (id, client, nonce), and its line in the log.
  app.use(async (c, next) => {
    const isForwarded = isForwardedUnheard(c.env.incoming.headers, settings.trustedProxies)
    if (isForwarded && !hasWarnedOfProxy) {
      hasWarnedOfProxy = true
      log.warn(proxyWarning(settings, true))
    }
    const { id, trace } = readTraceContext((name) => c.req.header(name), settings.trustedProxies)
    let nonce: string | undefined
    const facts: RequestFacts = {
      id: id ?? requestId(),
      // The nonce is made on demand: documents need one, a vote does not.
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
    const began = performance.now()
    await next()
    c.res.headers.set('x-request-id', facts.id)
    if (c.req.path === '/healthz' || c.req.path === '/readyz') return
    const ms = Math.round(performance.now() - began)
    log.info(
      { id: facts.id, method: c.req.method, area: areaOf(c.req.path), status: c.res.status, ms, trace },
      'request',
    )
  })

  // 2. Every answer gets its headers, set on the answer itself: Hono's own way would make a new answer for each header.
  const alwaysHeaders = Object.entries(securityHeaders(settings.hsts))
  app.use(async (c, next) => {
    await next()
    const { headers } = c.res
    for (const [name, value] of alwaysHeaders) headers.set(name, value)
    const policy = headers.get('content-security-policy')
    if (policy === null) headers.set('content-security-policy', NO_DOCUMENT_POLICY)
    // The header gives the same permission to browsers that ignore `frame-ancestors`.
    else if (policy.includes("frame-ancestors 'self'")) headers.set('x-frame-options', 'SAMEORIGIN')
  })

  // 3. An organiser who asked for the draft preview gets it. The preview takes no forms.
  const readPreview = createPreviewLook(site)
  app.use(async (c, next) => {
    c.set('site', site)
    const preview = mayBePreview(c.req.header('cookie')) ? await readPreview(c.req.raw) : undefined
    if (!preview) return next()
    if (!isReading(c.req.method)) return c.text(PREVIEW_ONLY_MESSAGE, 403)
    c.set('site', preview.site)
    await preview.run(next)
    c.res.headers.set('cache-control', 'private, no-store')
    return undefined
  })

  // 4. The early routes are answered before the router.
  for (const { paths, methods, answer } of EARLY_ROUTES)
    for (const method of methods)
      app.on(method === 'ANY' ? METHOD_NAME_ALL : method, [...paths], async (c, next) => {
        return (await answer(c.req.raw, contextFor(c.get('site'), c.get('facts')))) ?? next()
      })

  // 5. The files of the build are answered from memory.
  app.get('*', async (c, next) => {
    const asset = assets.get(c.req.path)
    return asset ? answerAsset(asset, c.req.path, c.req.header('accept-encoding') ?? '') : next()
  })

  // 6. Other spellings redirect to the one address of a screen, without slashes and punctuation at its end.
  app.get('*', async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const bare = `/${withoutSlashes(withoutPunctuation(pathname))}`
    return bare === pathname ? next() : c.redirect(bare + search, 308)
  })

  const inTurn = createRenderTurns()
  const notFound = createNotFound(site)
  // 7. The screens that are rendered on request, and the forms, come last.
  app.all('*', async (c) => {
    const facts = c.get('facts')
    const asked = c.req.raw
    const isRead = isReading(asked.method)
    const { pathname } = new URL(asked.url)
    const isKnown = isDecodable(pathname)
    const { methods, isScreen } = addressAt(isKnown ? pathname.replace(/\.data$/, '') : '/no-encontrada')
    if (!isRead && methods.length === 0) return c.text('Aquí no hay ninguna página.', 404)
    if (methods.length > 0 && !methods.includes(asked.method))
      return c.text('Esta dirección no se usa así.', 405, { allow: methods.join(', ') })
    if (!isRead && !isSameOriginForm(asked, settings.publicUrl)) return c.text(CROSS_ORIGIN_FORM_MESSAGE, 403)
    if (!isRead && !takesFiles(pathname)) {
      const length = asked.headers.get('content-length')
      if (length === null) return c.text('Falta decir cuánto mide este envío.', 411)
      if (!(Number(length) <= MAX_FORM_BYTES)) return c.text('Este envío es demasiado largo.', 413)
      const fault = length === '0' ? undefined : await faultOfForm(asked)
      if (fault) return c.text(...fault)
    }
    if (methods.length === 0 && !c.get('site').preview) return notFound(pathname, c.req.header('accept-encoding') ?? '')
    const request = isKnown ? asked : new Request(new URL('/no-encontrada', asked.url), { method: asked.method })
    const render = () => renderDynamic(request, c.get('site'), facts)
    const { client } = facts
    const response = await (isScreen ? inTurn({ client, isRead, isFirst: goesFirst(pathname) }, render) : render())
    response.headers.set('cache-control', response.headers.get('cache-control') ?? 'private, no-store')
    // A document that sets a policy itself keeps it.
    if (isDocument(response) && !response.headers.has('content-security-policy')) {
      const inline = {
        scripts: [`nonce-${facts.nonce}`],
        styles: [`nonce-${facts.nonce}`, ...inlineStyles()],
        hasFrames: showsFrames(pathname),
        hasWorker: response.headers.has('service-worker-allowed'),
      }
      response.headers.set('content-security-policy', contentSecurityPolicy(inline, secure))
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

/** Lists the paths of the early routes, in their order, for tests. */
export const addresses = (): string[] => EARLY_ROUTES.flatMap(({ paths }) => paths)

/** Checks that a body is a readable form. @returns the refusal; undefined for a readable form */
async function faultOfForm(request: Request): Promise<[said: string, status: 400 | 413] | undefined> {
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
 * Returns a path without punctuation at its end: chat programs take the end of a sentence as part of a link. No address of the
 * site ends with punctuation.
 */
function withoutPunctuation(path: string): string {
  try {
    const decoded = decodeURIComponent(path)
    const bare = decoded.replace(/[\s.,;:!?¡¿'"’”»>)\]}*…]+$/u, '')
    return bare === decoded ? path : encodeURI(bare)
  } catch {
    return path
  }
}

/** Returns a path without the slashes at its ends, however many there are. */
function withoutSlashes(path: string): string {
  let [from, to] = [0, path.length]
  while (path[from] === '/') from++
  while (to > from && path[to - 1] === '/') to--
  return path.slice(from, to)
}

/** Makes an id short enough to be read out over the telephone, without letters that sound or look like others. */
const requestId = () => inGroups(randomCode(8, 'abcdefghjkmnpqrstvwxyz0123456789'), 4)

/** Returns the first step of a path, which may be logged; the rest may name a person or open an upload. */
const areaOf = (path: string) => `/${path.split('/')[1] ?? ''}`

const isReading = (method: string) => method === 'GET' || method === 'HEAD'

const isDocument = (response: Response) => response.headers.get('content-type')?.startsWith('text/html') ?? false

const SMALL_BYTES = 1_000

async function compress(response: Response, accepted: string): Promise<Response> {
  const encoding = bestEncoding(accepted)
  if (
    encoding === 'identity' ||
    !response.body ||
    !/^text\/(html|x-script)/.test(response.headers.get('content-type') ?? '')
  )
    return response
  const body = Buffer.from(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.append('vary', 'accept-encoding')
  if (body.byteLength < SMALL_BYTES) return new Response(body, { status: response.status, headers })
  headers.set('content-encoding', encoding)
  headers.delete('content-length')
  const packed =
    encoding === 'br' ? await brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) : await zip(body)
  return new Response(new Uint8Array(packed), { status: response.status, headers })
}
