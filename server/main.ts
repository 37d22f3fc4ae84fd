import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type pg from 'pg'
import { uncountedProxy } from '#app/core/http/proxy-check.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { diskFault, placeFault } from '#app/core/process/start-error.server.ts'
import { EARLY_ROUTES } from '#app/early-routes.server.ts'
import { createApp } from './app.ts'
import { loadBuild } from './assets.ts'
import { startWork } from './background-work.ts'
import { capConnections } from './connections.ts'
import { createListener } from './listener.ts'
import { mayBePreview } from './preview-request.ts'
import { takesFiles } from './render.ts'
import { securityHeaders } from './security-headers.ts'
import { openSite } from './services.ts'
import { hasBody, limitBody } from './slow-bodies.ts'
import { type Undo, undoAll } from './undo.ts'
import { shareVotePage } from './vote-page.ts'

/** A weak phone may take this long to send a form with its files in one request. */
const REQUEST_TIMEOUT_MS = 60 * 60_000
/** How long the same phone may take for a form without files, a quarter of a megabyte at most. */
const FORM_TIMEOUT_MS = 60_000
/**
 * A form with files takes as long as the line needs, but brings so much within any minute: a tenth of what a telephone of
 * twenty years ago sends.
 */
const STALL_MS = 60_000
const STALL_BYTES = 4_096
/** Connections at once: a town that votes behind one address of its telephone company needs a fraction of the second. */
const MAX_CONNECTIONS = 10_000
const MAX_CONNECTIONS_PER_NETWORK = 1_000
/** How long a refused visitor has to read why before we end the connection. */
const FAREWELL_MS = 2_000

/** What the keeper of the site (scripts/supervisor/supervisor.ts) has opened already, and lets this process use. */
interface InheritedResources {
  /** The embedded database, which the keeper started over the data folder that it claimed; undefined: DATABASE_URL's. */
  connection?: pg.PoolConfig | undefined
  /** How visitors reach the site. */
  publicUrl: string
  /** The port, which requests may wait at from now on; undefined: `abre` brings it. */
  handle?: unknown
  /** A Unix socket on which this process alone is asked how it is. */
  prueba: string
}

/** A site that serves. */
interface ServingSite {
  stop(): Promise<void>
  /** Takes visitors at what the keeper holds. */
  abre(handle: unknown): Promise<void>
  /** Takes no new visitors, and goes on for those that it has. @param successor folder of the version that takes over */
  retira(successor: string): Promise<void>
  /** Ends the connections on which nothing is asked: whoever has one comes again, and finds who has taken over. */
  suelta(): void
  /** How many connections of visitors it has. */
  cuantos(): Promise<number>
}

interface MainOptions {
  /** The project's root. */
  root: string
  env: NodeJS.ProcessEnv
  say(line: string): void
  /** Whether what is said is read by whoever sits there, and kept by nobody. */
  isTerminal: boolean
  /** Breaks the start off: what it has opened by then is undone. */
  signal?: AbortSignal
  /** Undefined: the site stands alone, and opens all by itself. */
  heredado?: InheritedResources
}

/**
 * Starts the site; the order of this function is the order of the start, and `stop` undoes it backwards: requests end
 * first, the database last.
 * @throws StartError, SettingsError: one line for the person at the keyboard
 */
export async function main({ root, env, say, isTerminal, signal, heredado }: MainOptions): Promise<ServingSite> {
  const undo: Undo = []
  let stopped = Promise.resolve()
  const stop = () => {
    stopped = stopped.catch(() => {}).then(() => undoAll(undo))
    return stopped
  }
  // A start that is broken off waits for nothing more: whatever it waits for fails, as the database has gone.
  const breakOff = () => void stop().catch(() => {})
  signal?.addEventListener('abort', breakOff, { once: true })
  let settings = readSettings(env)
  try {
    let listener: RequestListener = (_request, response) => {
      response.writeHead(503, { 'retry-after': '2', 'content-type': 'text/plain; charset=utf-8' })
      response.end('Abrimos en un momento.')
    }
    const { hsts } = settings
    const siteListener = createListener((request, response) => listener(request, response))
    const { server } = siteListener
    const perNetwork = settings.trustedProxies === 0 ? MAX_CONNECTIONS_PER_NETWORK : undefined
    capConnections(server, { total: MAX_CONNECTIONS, perNetwork })
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(error, socket, hsts))
    server.requestTimeout = REQUEST_TIMEOUT_MS
    server.headersTimeout = 20_000
    server.keepAliveTimeout = 65_000
    if (heredado) {
      if (heredado.handle)
        await siteListener.open({ handle: heredado.handle }).catch((error) => refuse(error, settings))
      settings = { ...settings, publicUrl: heredado.publicUrl }
    } else {
      await siteListener.open(settings).catch((error) => refuse(error, settings))
      const { port } = server.address() as AddressInfo
      // Port 0 asks the machine for a free one.
      settings = { ...settings, publicUrl: settings.publicUrl.replace(/:0$/, `:${port}`) }
    }

    const { sitio, pool, connection, secreto, firstAdmin } = await openSite(
      settings,
      join(root, 'db/migrations'),
      undo,
      heredado,
    )
    const { services, escrutinio, visitas } = sitio
    const editions = await startWork({ sitio, connection, secreto, root, say }, undo)
    // A stop closes the server before anything else, so that no request finds a closed database.
    undo.push(() => siteListener.close())
    // Before that it ends the open streams of results, which would hold the stop up.
    undo.push(() => escrutinio.vivo.end())

    const buildDir = join(root, 'build')
    const assets = await loadBuild(buildDir)
    const app = await createApp({
      ...{ sitio, buildDir, assets },
      inlineStyles: () => editions.pages().styles,
    })
    const dynamic = getRequestListener(app.fetch, {
      hostname: settings.host,
      errorHandler: () => new Response('La petición está mal formada.', { status: 400, headers: plainHeaders(hsts) }),
    })
    const shared = shareVotePage(sitio)
    // What counts is loaded only where somebody asks for figures.
    const metrics =
      settings.metrics &&
      (await (await import('./metrics.ts')).startMetrics(services, pool, undo, heredado && !heredado.handle))
    const answer: RequestListener = (request, response) => {
      const path = pathOf(request.url!)
      if (path.length > MAX_PATH_CHARS) return refuseTooLong(response, hsts)
      if (hasBody(request)) {
        const deadline = isForFiles(path) ? { stallMs: STALL_MS, minBytes: STALL_BYTES } : { wholeMs: FORM_TIMEOUT_MS }
        limitBody(request, deadline, () =>
          refuseUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket, hsts, response.headersSent),
        )
      }
      const otherwise = () => void dynamic(request, response)
      if (mayBePreview(request.headers.cookie)) return otherwise()
      if (editions.pages().answer(request, response)) return visitas.vio(request.url!, request.headers)
      const elsewhere = editions.redirect(path)
      if (elsewhere !== undefined) return leadTo(elsewhere, response, hsts)
      if (shared(request, response, otherwise)) visitas.vio(request.url!, request.headers)
      else otherwise()
    }
    listener = metrics?.around(answer) ?? answer

    if (heredado) await siteListener.openAlso(heredado.prueba)
    signal?.throwIfAborted()
    signal?.removeEventListener('abort', breakOff)
    editions.start()
    say(`El sitio está en ${settings.publicUrl}`)
    say(`Los datos están en ${settings.dataDir}`)
    const aviso = uncountedProxy(settings)
    if (aviso) say(aviso)
    if (firstAdmin) {
      say(`Primer administrador: ${firstAdmin.email}`)
      // What is no terminal is a file, or a service that keeps what it is told.
      if (isTerminal) say(`Contraseña:           ${firstAdmin.password}`)
      say(`(${isTerminal ? 'también' : 'su contraseña está'} en ${firstAdmin.file}; guárdala y borra ese archivo)`)
    }
    let hasLeft = false
    return {
      stop,
      async abre(handle) {
        await siteListener.open({ handle })
        if (hasLeft) metrics?.take()
        hasLeft = false
      },
      async retira(successor) {
        // A browser that has a page of the other one may still ask here, on a connection that it has.
        const next = await loadBuild(join(successor, 'build')).catch(() => [])
        for (const [path, asset] of next) if (path.startsWith('/assets/') && !assets.has(path)) assets.set(path, asset)
        siteListener.leave()
        metrics?.leave()
        hasLeft = true
        // Their browsers ask again, and find whoever has taken over.
        escrutinio.vivo.end()
      },
      suelta: () => server.closeIdleConnections(),
      cuantos: () => siteListener.count(),
    }
  } catch (error) {
    await stop().catch(() => {})
    throw diskFault(error, settings.dataDir) ?? error
  }
}

/** @throws StartError that says why the site cannot have its place */
function refuse(error: NodeJS.ErrnoException, { port, host }: { port: number; host: string }): never {
  throw placeFault(error.code, port, host) ?? error
}

/** Limit of an address without its query. The longest is a document's, which holds names. */
const MAX_PATH_CHARS = 2_000

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** Addresses of nouns that take files: each whole, or with whatever follows it. */
const FOR_FILES = EARLY_ROUTES.filter(({ takesFiles }) => takesFiles).flatMap(({ paths }) => paths)
const isForFiles = (path: string) =>
  takesFiles(path) || FOR_FILES.some((one) => (one.endsWith('*') ? path.startsWith(one.slice(0, -1)) : path === one))

function refuseTooLong(response: ServerResponse, hsts: string | undefined): void {
  response.writeHead(414, { ...plainHeaders(hsts), 'cache-control': 'no-store', connection: 'close' })
  response.end('Esta dirección es demasiado larga. Escríbela más corta, o empieza desde la portada.')
}

/** Leads to where somebody with another name stands now. */
function leadTo(path: string, response: ServerResponse, hsts: string | undefined): void {
  response.writeHead(301, { ...plainHeaders(hsts), 'cache-control': 'public, max-age=3600', location: path })
  response.end()
}

const plainHeaders = (hsts: string | undefined) => ({
  ...securityHeaders(hsts),
  'content-security-policy': NO_DOCUMENT_POLICY,
  'content-type': 'text/plain; charset=utf-8',
})

/**
 * Answers what Node itself cannot read as a request, and what therefore never reaches the app, with the site's headers.
 */
function refuseUnreadable(
  error: { code?: string },
  socket: Duplex,
  hsts: string | undefined,
  isAnswered = false,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
    socket.destroy()
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  const head = Object.entries({ ...plainHeaders(hsts), connection: 'close', 'content-length': '0' })
  socket.end(`HTTP/1.1 ${status}\r\n${head.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`)
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
