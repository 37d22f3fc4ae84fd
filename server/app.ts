import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { sql } from 'kysely'
import { type AssetFile, imageFile } from '#app/contenido/imagenes.server.ts'
import { mayOpen, refusedFile } from '#app/cuentas/guards.server.ts'
import { anotar } from '#app/cuentas/mutations.server.ts'
import { may } from '#app/cuentas/rules.ts'
import { SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, unlessFull } from '#app/organizadores/espacio.server.ts'
import { answerFile } from '#app/platform/answer-file.server.ts'
import { loadHojas } from '#app/platform/hojas.server.ts'
import type { RequestFacts } from '#app/platform/services.server.ts'
import { answerVoto } from '#app/popularidad/voto.server.ts'
import { findDocumento } from '#app/registros/documentos.server.ts'
import type { Subidas } from '#app/registros/subidas.server.ts'
import { clientAddress } from './client-address.ts'
import { answerAsset, IMMUTABLE, loadAssets } from './files.ts'
import { contentSecurityPolicy, NO_DOCUMENT_POLICY, PICTURE_POLICY, securityHeaders } from './policy.ts'
import { methodsOf, type Nouns, renderDynamic, takesFiles } from './render.ts'

type Env = { Bindings: HttpBindings; Variables: { facts: RequestFacts } }

export interface AppOptions extends Nouns {
  subidas: Subidas
  /** Folder with what the build left. */
  buildDir: string
  /** Hashes of the documents' inline styles. */
  inlineStyles: string[]
}

const READY_TIMEOUT_MS = 2_000
/** Of a form without files, however much text its fields take, each character written as nine bytes. */
const MAX_FORM_BYTES = 256_000
const FOREIGN = 'Este envío no viene de nuestro sitio. Abre la página y envíalo desde ahí.'

/** Everything the site answers beyond the pages rendered ahead, in the order in which a request meets it. */
export async function createApp({ subidas, buildDir, inlineStyles, ...nouns }: AppOptions): Promise<Hono<Env>> {
  const { services, cuentas, votacion } = nouns
  const { settings, log } = services
  const secure = settings.publicUrl.startsWith('https:')
  const assets = await loadAssets(join(buildDir, 'client'))
  loadHojas(join(buildDir, 'client'))
  const app = new Hono<Env>()

  // 1. Who asks, under which id; what is said of it in the log.
  app.use(async (c, next) => {
    const facts: RequestFacts = {
      id: requestId(),
      nonce: randomBytes(16).toString('base64url'),
      client: clientAddress(
        c.env.incoming.socket.remoteAddress,
        c.req.header('x-forwarded-for'),
        settings.trustedProxies,
      ),
    }
    c.set('facts', facts)
    const began = performance.now()
    await next()
    c.header('x-request-id', facts.id)
    if (c.req.path === '/healthz' || c.req.path === '/readyz') return
    const ms = Math.round(performance.now() - began)
    log.info({ id: facts.id, method: c.req.method, area: areaOf(c.req.path), status: c.res.status, ms }, 'request')
  })

  // 2. What every answer carries.
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(securityHeaders(secure))) c.header(name, value)
    const policy = c.res.headers.get('content-security-policy')
    if (policy === null) c.header('content-security-policy', NO_DOCUMENT_POLICY)
    // What it says of frames, for browsers that do not read it.
    else if (policy.includes("frame-ancestors 'self'")) c.header('x-frame-options', 'SAMEORIGIN')
  })

  // 3. For whoever watches over the machine.
  app.get('/healthz', (c) => c.text('ok', 200, { 'cache-control': 'no-store' }))
  app.get('/readyz', async (c) => {
    const ready = await withTimeout(Promise.all([sql`select 1`.execute(services.db), services.storage.check()])).then(
      () => true,
      (error) => {
        log.warn({ err: error }, 'not ready')
        return false
      },
    )
    return c.text(ready ? 'ok' : 'no listo', ready ? 200 : 503, { 'cache-control': 'no-store' })
  })

  // 4. Files on their way in, and the documents that came in so, for organisers alone.
  for (const path of ['/subidas', '/subidas/*'])
    app.all(path, async (c) =>
      // An upload's address has no query, however long.
      new URL(c.req.url).search === ''
        ? subidas.handle(c.req.raw, c.get('facts'))
        : c.text('Esta dirección no se usa así.', 400),
    )
  app.all('/archivos/*', async (c) => {
    const sesion = await cuentas.getSession(c.req.raw)
    if (!may(sesion?.rol, 'archivos') || !isReading(c.req.method))
      return c.text('Este documento sólo lo abre la organización, con su sesión iniciada.', 403, {
        'cache-control': 'private, no-store',
      })
    const found = await findDocumento(services, new URL(c.req.url).pathname.slice('/archivos/'.length))
    const gone = () => c.text('Ese documento no existe.', 404, { 'cache-control': 'private, no-store' })
    if (!found) return gone()
    const desde = cuentas.traceOf(c.get('facts').client)
    const noted = await unlessFull(services, async () => {
      await anotar(services.db, { que: 'documento.original', quien: sesion!.userId, sobre: found.sobre, desde })
      return { ok: true as const }
    })
    if (!noted.ok) return c.text(SIN_ESPACIO_PARA_ABRIR, STATUS_SIN_ESPACIO, { 'cache-control': 'private, no-store' })
    return (await found.open(c.req.raw)) ?? gone()
  })

  // 5. A vote: what a whole town sends at once goes no further than it must.
  app.post('/misspopularidad/voto', async (c) => {
    if (!isOwn(c.req.header('origin'), c.req.header('host'), settings.publicUrl)) return c.text(FOREIGN, 403)
    return answerVoto(c.req.raw, { votacion, getSession: cuentas.getSession, client: c.get('facts').client })
  })

  // 6. The files of the build.
  app.get('*', async (c, next) => {
    const asset = assets.get(c.req.path)
    return asset ? answerAsset(asset, c.req.path, c.req.header('accept-encoding') ?? '') : next()
  })
  app.on('GET', ['/img/:file{[\\w.-]+}', '/media/:file{[\\w.-]+}'], async (c, next) => {
    const found = await imageFile(c.req.path)
    if (!found) return next()
    if (found.soloPrensa && !(await mayOpen(services.db, cuentas, c.req.raw, 'prensa'))) return refusedFile(c.req.raw)
    // Sizes are made behind a site that already serves: until one is there, the original stands in for it.
    const headers = {
      'content-type': found.contentType,
      'cache-control': cacheOf(found),
      // A drawing is a document itself.
      'content-security-policy': found.contentType === 'image/svg+xml' ? NO_DOCUMENT_POLICY : PICTURE_POLICY,
    }
    return (await answerFile(found.path, c.req.raw, headers)) ?? next()
  })

  // 7. One address a screen.
  app.get('/:path{.+/}', (c) => {
    const { pathname, search } = new URL(c.req.url)
    return c.redirect(`/${withoutSlashes(pathname)}${search}`, 308)
  })

  // 8. The screens that are rendered when asked for, and the forms.
  app.all('*', async (c) => {
    const facts = c.get('facts')
    const asked = c.req.raw
    const isRead = isReading(asked.method)
    const { pathname } = new URL(asked.url)
    const known = isDecodable(pathname)
    const methods = known ? methodsOf(pathname.replace(/\.data$/, '')) : []
    if (!isRead && methods.length === 0) return c.text('Aquí no hay ninguna página.', 404)
    if (methods.length > 0 && !methods.includes(asked.method))
      return c.text('Esta dirección no se usa así.', 405, { allow: methods.join(', ') })
    if (!isRead && !isOwn(c.req.header('origin'), c.req.header('host'), settings.publicUrl)) return c.text(FOREIGN, 403)
    if (!isRead && !takesFiles(pathname)) {
      const length = asked.headers.get('content-length')
      if (length === null) return c.text('Falta decir cuánto mide este envío.', 411)
      if (!(Number(length) <= MAX_FORM_BYTES)) return c.text('Este envío es demasiado largo.', 413)
      if (length !== '0' && !(await isForm(asked)))
        return c.text('Este envío no es un formulario de nuestro sitio.', 400)
    }
    const request = known ? asked : new Request(new URL('/no-encontrada', asked.url), { method: asked.method })
    const response = await renderDynamic(request, nouns, facts)
    response.headers.set('cache-control', response.headers.get('cache-control') ?? 'private, no-store')
    if (isDocument(response)) {
      const inline = {
        scripts: [`nonce-${facts.nonce}`],
        styles: [`nonce-${facts.nonce}`, ...inlineStyles],
        hasFrames: pathname.startsWith('/organizadores/inscripciones/'),
      }
      response.headers.set('content-security-policy', contentSecurityPolicy(inline, secure))
    }
    return compressed(response, c.req.header('accept-encoding') ?? '')
  })

  app.onError((error, c) => {
    const { id } = c.get('facts')
    log.error({ id, err: error }, 'unexpected fault')
    return c.text(`Algo falló de nuestro lado. Inténtalo de nuevo; si sigue, dinos este número: ${id}`, 500)
  })
  return app
}

/** Forms come from this site's own pages; a program that sends no origin speaks for itself alone. */
function isOwn(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  return origin === undefined || origin === publicUrl || URL.parse(origin)?.host === host
}

/** Whether a body can be read as the form that it says it is. */
const isForm = (request: Request): Promise<boolean> =>
  request
    .clone()
    .formData()
    .then(
      () => true,
      () => false,
    )

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** A path without the slashes at its ends, however many there are. */
function withoutSlashes(path: string): string {
  let [from, to] = [0, path.length]
  while (path[from] === '/') from++
  while (to > from && path[to - 1] === '/') to--
  return path.slice(from, to)
}

/** Short enough to be read out over the telephone, without letters that sound or look like others. */
function requestId(): string {
  const letters = Array.from(randomBytes(8), (byte) => 'abcdefghjkmnpqrstvwxyz0123456789'[byte % 32])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** First step of a path: the rest may name a person or open an upload. */
const areaOf = (path: string) => `/${path.split('/')[1] ?? ''}`

const cacheOf = ({ final, soloPrensa }: AssetFile) =>
  !final ? 'no-store' : soloPrensa ? 'private, max-age=3600' : IMMUTABLE

const isReading = (method: string) => method === 'GET' || method === 'HEAD'

const isDocument = (response: Response) => response.headers.get('content-type')?.startsWith('text/html') ?? false

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
const SMALL_BYTES = 1_000

async function compressed(response: Response, accepted: string): Promise<Response> {
  const encoding = accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : undefined
  if (!encoding || !response.body || !/^text\/(html|x-script)/.test(response.headers.get('content-type') ?? ''))
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

const withTimeout = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`no answer within ${READY_TIMEOUT_MS} ms`)), READY_TIMEOUT_MS).unref()
    }),
  ])
