import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type pg from 'pg'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { proxyWarning } from '#app/core/http/proxy-check.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { diskFault, listenFault } from '#app/core/process/start-error.server.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { EARLY_ROUTES } from '#app/early-routes.server.ts'
import { createApp } from './app.ts'
import { loadBuildAssets } from './assets.ts'
import { startBackgroundWork } from './background-work.ts'
import { clientOf } from './client-address.ts'
import { limitConnections } from './connections.ts'
import { createListener } from './listener.ts'
import { mayBePreview } from './preview-request.ts'
import { takesFiles } from './render.ts'
import { securityHeaders } from './security-headers.ts'
import { openSite } from './services.ts'
import { hasBody, limitBody, limitOpenBodies } from './slow-bodies.ts'
import { type Undo, undoAll } from './undo.ts'
import { shareVotePage } from './vote-page.ts'

/** Longest time for a request to arrive; a phone on a weak network may send a form with its files in one request. */
const REQUEST_TIMEOUT_MS = HOUR_MS
/** Longest time for the body of a form without files, which has at most a quarter of a megabyte. */
const FORM_TIMEOUT_MS = MINUTE_MS
/** A form with files must send at least STALL_BYTES within every STALL_MS, some 70 bytes a second. */
const STALL_MS = MINUTE_MS
const STALL_BYTES = 4_096
/** Many times as many as a town behind one address sends at once, since its files come in pieces of a second each. */
const MAX_FILE_BODIES_PER_NETWORK = 60
const MAX_CONNECTIONS = 10_000
/** Several times as many as a town that votes behind one address of its telephone company. */
const MAX_CONNECTIONS_PER_NETWORK = 1_000
/** Delay before the connection of an unreadable or slow request is destroyed, in which the response can arrive. */
const CLOSE_DELAY_MS = 2_000

/** Resources that the supervisor (scripts/supervisor/supervisor.ts) has opened for this process. */
interface InheritedResources {
  /** Connection of the embedded database, which the supervisor started; undefined if DATABASE_URL is set. */
  connection?: pg.PoolConfig | undefined
  publicUrl: string
  /** Handle of the port, for `server.listen`; requests get 503 until the site serves. If undefined, `open` gets it later. */
  handle?: unknown
  /** Path of the Unix socket for health checks of this process alone. */
  prueba: string
}

/** A site that has started and serves visitors. */
interface ServingSite {
  stop(): Promise<void>
  /** Accepts visitors on the supervisor's port. */
  open(handle: unknown): Promise<void>
  /** Stops accepting connections, and serves the open connections. @param successor folder of the version that takes over */
  leave(successor: string): Promise<void>
  /** Closes idle connections, whose browsers connect again, to the process that has taken over. */
  closeIdleConnections(): void
  /** Returns the number of visitors' open connections. */
  countConnections(): Promise<number>
}

interface ServeOptions {
  root: string
  env: NodeJS.ProcessEnv
  say(line: string): void
  /** Whether the output goes to a terminal, which does not store it. */
  isTerminal: boolean
  /** Aborts the start, and undoes the steps that the start has completed by then. */
  signal?: AbortSignal
  /** Resources that a supervisor has opened. Without a supervisor, the site opens all resources itself. */
  inherited?: InheritedResources
}

/**
 * Starts the site and serves it. The order of this function is the order of the start, and `stop` undoes it backwards: requests
 * end before the background work, and then the database and the claim of the data folder.
 * @throws StartError, SettingsError, ContentError with a message for the operator
 */
export async function serveSite({ root, env, say, isTerminal, signal, inherited }: ServeOptions): Promise<ServingSite> {
  const undo: Undo = []
  let stopped = Promise.resolve()
  const stop = () => {
    stopped = stopped.catch(() => {}).then(() => undoAll(undo))
    return stopped
  }
  // An abort closes the database, so that a step that awaits the database fails.
  const abort = () => void stop().catch(() => {})
  signal?.addEventListener('abort', abort, { once: true })
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
    limitConnections(server, { total: MAX_CONNECTIONS, perNetwork })
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => sendBadRequest(error, socket, hsts))
    server.requestTimeout = REQUEST_TIMEOUT_MS
    server.headersTimeout = 20_000
    // Longer than nginx keeps an idle connection to the site (60 s), since a request over a closing connection would fail.
    server.keepAliveTimeout = 65_000
    if (inherited) {
      if (inherited.handle)
        await siteListener.open({ handle: inherited.handle }).catch((error) => throwListenFault(error, settings))
      settings = { ...settings, publicUrl: inherited.publicUrl }
    } else {
      await siteListener.open(settings).catch((error) => throwListenFault(error, settings))
      const { port } = server.address() as AddressInfo
      // Port 0 asks the system for a free port.
      settings = { ...settings, publicUrl: settings.publicUrl.replace(/:0$/, `:${port}`) }
    }

    const { site, pool, connection, secret, firstAdmin } = await openSite(
      settings,
      join(root, 'db/migrations'),
      undo,
      inherited,
    )
    const { services, tally, visits } = site
    const editions = await startBackgroundWork({ site, connection, secret, root, say }, undo)
    // A stop ends the open requests before the background work and the database.
    undo.push(() => siteListener.close())
    // Before that, a stop ends the open streams of results, which would delay `close`.
    undo.push(() => tally.liveResults.end())

    const buildDir = join(root, 'build')
    const assets = await loadBuildAssets(buildDir)
    const app = await createApp({
      site,
      buildDir,
      assets,
      inlineStyleHashes: () => editions.pages().styleHashes,
    })
    const dynamicListener = getRequestListener(app.fetch, {
      hostname: settings.host,
      errorHandler: () => new Response('La petición está mal formada.', { status: 400, headers: plainHeaders(hsts) }),
    })
    const isWithinBodyLimit = limitOpenBodies(MAX_FILE_BODIES_PER_NETWORK)
    const sharedVotePage = shareVotePage(site)
    // Only a site with METRICS_PORT loads the module.
    const metrics =
      settings.metrics &&
      (await (await import('./metrics.ts')).startMetrics(services, pool, undo, inherited && !inherited.handle))
    const answer: RequestListener = (request, response) => {
      const path = pathOf(request.url!)
      if (path.length > MAX_PATH_LENGTH) return sendPathTooLong(response, hsts)
      if (hasBody(request)) {
        const isSendingFiles = isForFiles(path)
        if (isSendingFiles && !isWithinBodyLimit(request, networksOf(clientOf(request, settings.trustedProxies))))
          return sendTooManyBodies(response, hsts)
        const deadline = isSendingFiles ? { stallMs: STALL_MS, minBytes: STALL_BYTES } : { wholeMs: FORM_TIMEOUT_MS }
        limitBody(request, deadline, () =>
          sendBadRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket, hsts, response.headersSent),
        )
      }
      const answerDynamically = () => void dynamicListener(request, response)
      if (mayBePreview(request.headers.cookie)) return answerDynamically()
      const phase = site.phases.at(services.clock.now())
      if (editions.pages().answer(request, response, phase)) return visits.countScreen(request)
      const newPath = editions.redirect(path)
      if (newPath !== undefined) return redirectTo(newPath, response, hsts)
      if (!sharedVotePage(request, response, answerDynamically)) answerDynamically()
    }
    listener = metrics?.around(answer) ?? answer

    if (inherited) await siteListener.openHealthSocket(inherited.prueba)
    signal?.throwIfAborted()
    signal?.removeEventListener('abort', abort)
    editions.start()
    say(`El sitio está en ${settings.publicUrl}`)
    say(`Los datos están en ${settings.dataDir}`)
    if (settings.siteClock !== undefined)
      say(
        `OJO: el sitio no va con la hora de la máquina. SITE_CLOCK dice ${formatLongDateTimeWithZone(services.clock.now())}: quítalo para un sitio de verdad.`,
      )
    const warning = proxyWarning(settings)
    if (warning) say(warning)
    if (firstAdmin) {
      say(`Primer administrador: ${firstAdmin.email}`)
      // Only a terminal shows the password, since any other output is stored in a log.
      if (isTerminal) say(`Contraseña:           ${firstAdmin.password}`)
      say(`(${isTerminal ? 'también' : 'su contraseña está'} en ${firstAdmin.file}; guárdala y borra ese archivo)`)
      if (settings.backupKey === undefined)
        say('La clave de los respaldos está en el panel, en «Estado»: imprímela o escríbela.')
    }
    let hasLeft = false
    return {
      stop,
      async open(handle) {
        await siteListener.open({ handle })
        if (hasLeft) metrics?.takePort()
        hasLeft = false
      },
      async leave(successor) {
        // A browser with a page of the successor may still request its assets here, on an open connection.
        const successorAssets = await loadBuildAssets(join(successor, 'build')).catch(() => [])
        for (const [path, asset] of successorAssets)
          if (path.startsWith('/assets/') && !assets.has(path)) assets.set(path, asset)
        siteListener.leave()
        metrics?.leavePort()
        hasLeft = true
        // Browsers open the streams of results again, at the process that has taken over.
        tally.liveResults.end()
      },
      closeIdleConnections: () => server.closeIdleConnections(),
      countConnections: () => siteListener.countConnections(),
    }
  } catch (error) {
    await stop().catch(() => {})
    throw diskFault(error, settings.dataDir) ?? error
  }
}

/** Ends the start. @throws StartError with the reason why the site cannot listen, or the system's error */
function throwListenFault(error: NodeJS.ErrnoException, { port, host }: { port: number; host: string }): never {
  throw listenFault(error.code, port, host) ?? error
}

/** Longest accepted path, in characters. The site's longest paths lead to documents, and contain names. */
const MAX_PATH_LENGTH = 2_000

function pathOf(url: string): string {
  const queryStart = url.indexOf('?')
  return queryStart === -1 ? url : url.slice(0, queryStart)
}

/** Patterns of the early routes that take files: exact paths, and prefixes that end with *. */
const FILE_PATTERNS = EARLY_ROUTES.filter(({ takesFiles }) => takesFiles).flatMap(({ paths }) => paths)
const matchesPattern = (path: string, pattern: string) =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
const isForFiles = (path: string) => takesFiles(path) || FILE_PATTERNS.some((pattern) => matchesPattern(path, pattern))

function sendPathTooLong(response: ServerResponse, hsts: string | undefined): void {
  response.writeHead(414, { ...plainHeaders(hsts), 'cache-control': 'no-store', connection: 'close' })
  response.end('Esta dirección es demasiado larga. Escríbela más corta, o empieza desde la portada.')
}

function sendTooManyBodies(response: ServerResponse, hsts: string | undefined): void {
  const headers = { ...plainHeaders(hsts), 'cache-control': 'no-store', 'retry-after': '10', connection: 'close' }
  response.writeHead(503, headers)
  response.end('Desde tu red se están enviando demasiados archivos a la vez. Espera un momento y envíalo otra vez.')
}

/** Redirects to the new path of a teacher whose name has changed. */
function redirectTo(path: string, response: ServerResponse, hsts: string | undefined): void {
  response.writeHead(301, { ...plainHeaders(hsts), 'cache-control': 'public, max-age=3600', location: path })
  response.end()
}

const plainHeaders = (hsts: string | undefined) => ({
  ...securityHeaders(hsts),
  'content-security-policy': NO_DOCUMENT_POLICY,
  'content-type': 'text/plain; charset=utf-8',
})

/**
 * Answers a request that Node cannot parse, which the app never receives, or whose body comes too slowly. Closes the connection
 * without an answer if it is broken, or if the request was answered already.
 */
function sendBadRequest(error: { code?: string }, socket: Duplex, hsts: string | undefined, isAnswered = false): void {
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
  setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref()
}
