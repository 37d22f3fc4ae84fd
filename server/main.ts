import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type pg from 'pg'
import { proxyWarning } from '#app/core/http/proxy-check.ts'
import { NO_DOCUMENT_POLICY } from '#app/core/http/response-headers.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { diskFault, listenFault } from '#app/core/process/start-error.server.ts'
import { formatLongDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
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

/** A form with its files in one request, from a weak phone, may take this many milliseconds. */
const REQUEST_TIMEOUT_MS = 60 * 60_000
/** A form without files, a quarter of a megabyte at most, may take this many milliseconds. */
const FORM_TIMEOUT_MS = 60_000
/** A form with files may take longer, but must bring STALL_BYTES within any STALL_MS, a tenth of an old telephone's speed. */
const STALL_MS = 60_000
const STALL_BYTES = 4_096
/**
 * At most this many connections are open at once. A town that votes behind one address of its telephone company needs a fraction of
 * the second limit.
 */
const MAX_CONNECTIONS = 10_000
const MAX_CONNECTIONS_PER_NETWORK = 1_000
/** The answer to an unreadable request may take this many milliseconds to arrive before its connection is destroyed. */
const FAREWELL_MS = 2_000

/** The supervisor (scripts/supervisor/supervisor.ts) has opened these resources for this process. */
interface InheritedResources {
  /** `connection` leads to the embedded database, which the supervisor started; undefined: DATABASE_URL is used. */
  connection?: pg.PoolConfig | undefined
  /** How visitors reach the site. */
  publicUrl: string
  /** The port, as `server.listen` takes it, where requests may wait from now on; undefined: `open` brings it. */
  handle?: unknown
  /** The path of the Unix socket for health checks of this process alone. */
  prueba: string
}

/** A serving site is one that has started and answers visitors. */
interface ServingSite {
  stop(): Promise<void>
  /** Accepts visitors on the supervisor's port. */
  open(handle: unknown): Promise<void>
  /** Accepts no new connections, and serves the open ones. @param successor folder of the version that takes over */
  leave(successor: string): Promise<void>
  /** Closes idle connections: their browsers connect again, to the process that has taken over. */
  closeIdleConnections(): void
  /** Returns the number of visitors' open connections. */
  countConnections(): Promise<number>
}

interface MainOptions {
  root: string
  env: NodeJS.ProcessEnv
  say(line: string): void
  /** Whether a person reads the output on a terminal, which stores nothing. */
  isTerminal: boolean
  /** `signal` aborts the start: everything that the start has opened by then is undone. */
  signal?: AbortSignal
  /** Without `inherited` the site runs without a supervisor, and opens everything itself. */
  inherited?: InheritedResources
}

/**
 * Starts the site; the order of this function is the order of the start, and `stop` undoes it backwards: requests end
 * first, the database last.
 * @throws StartError, SettingsError: one line for the person at the keyboard
 */
export async function main({ root, env, say, isTerminal, signal, inherited }: MainOptions): Promise<ServingSite> {
  const undo: Undo = []
  let stopped = Promise.resolve()
  const stop = () => {
    stopped = stopped.catch(() => {}).then(() => undoAll(undo))
    return stopped
  }
  // An abort closes the database, so that any step that is still awaited fails.
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
    if (inherited) {
      if (inherited.handle)
        await siteListener.open({ handle: inherited.handle }).catch((error) => refuse(error, settings))
      settings = { ...settings, publicUrl: inherited.publicUrl }
    } else {
      await siteListener.open(settings).catch((error) => refuse(error, settings))
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
    const editions = await startWork({ site, connection, secret, root, say }, undo)
    // A stop closes the server before anything else, so that no request finds a closed database.
    undo.push(() => siteListener.close())
    // Before that, a stop ends the open streams of results, which would hold it up.
    undo.push(() => tally.liveResults.end())

    const buildDir = join(root, 'build')
    const assets = await loadBuild(buildDir)
    const app = await createApp({
      site,
      buildDir,
      assets,
      inlineStyles: () => editions.pages().styles,
    })
    const dynamic = getRequestListener(app.fetch, {
      hostname: settings.host,
      errorHandler: () => new Response('La petición está mal formada.', { status: 400, headers: plainHeaders(hsts) }),
    })
    const shared = shareVotePage(site)
    // The module of metrics is loaded only where METRICS_PORT is set.
    const metrics =
      settings.metrics &&
      (await (await import('./metrics.ts')).startMetrics(services, pool, undo, inherited && !inherited.handle))
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
      const phase = site.phases.at(services.clock.now())
      if (editions.pages().answer(request, response, phase)) return visits.countScreen(request.url!, request.headers)
      const elsewhere = editions.redirect(path)
      if (elsewhere !== undefined) return redirectTo(elsewhere, response, hsts)
      if (shared(request, response, otherwise)) visits.countScreen(request.url!, request.headers)
      else otherwise()
    }
    listener = metrics?.around(answer) ?? answer

    if (inherited) await siteListener.openAlso(inherited.prueba)
    signal?.throwIfAborted()
    signal?.removeEventListener('abort', breakOff)
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
      // Other output goes to a file or a service, which would keep the password.
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
        if (hasLeft) metrics?.take()
        hasLeft = false
      },
      async leave(successor) {
        // A browser with a page of the successor may still request its assets here, on an open connection.
        const next = await loadBuild(join(successor, 'build')).catch(() => [])
        for (const [path, asset] of next) if (path.startsWith('/assets/') && !assets.has(path)) assets.set(path, asset)
        siteListener.leave()
        metrics?.leave()
        hasLeft = true
        // Browsers open their streams again, at the process that has taken over.
        tally.liveResults.end()
      },
      closeIdleConnections: () => server.closeIdleConnections(),
      countConnections: () => siteListener.count(),
    }
  } catch (error) {
    await stop().catch(() => {})
    throw diskFault(error, settings.dataDir) ?? error
  }
}

/** Ends the start. @throws StartError that says why the site cannot listen, or the system's error */
function refuse(error: NodeJS.ErrnoException, { port, host }: { port: number; host: string }): never {
  throw listenFault(error.code, port, host) ?? error
}

/** An address without its query has at most this many characters. The longest is a document's, which holds names. */
const MAX_PATH_CHARS = 2_000

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** These early routes take files: exact paths, and prefixes that end with *. */
const FOR_FILES = EARLY_ROUTES.filter(({ takesFiles }) => takesFiles).flatMap(({ paths }) => paths)
const isForFiles = (path: string) =>
  takesFiles(path) || FOR_FILES.some((one) => (one.endsWith('*') ? path.startsWith(one.slice(0, -1)) : path === one))

function refuseTooLong(response: ServerResponse, hsts: string | undefined): void {
  response.writeHead(414, { ...plainHeaders(hsts), 'cache-control': 'no-store', connection: 'close' })
  response.end('Esta dirección es demasiado larga. Escríbela más corta, o empieza desde la portada.')
}

/** Redirects to the new path of a person whose name has changed. */
function redirectTo(path: string, response: ServerResponse, hsts: string | undefined): void {
  response.writeHead(301, { ...plainHeaders(hsts), 'cache-control': 'public, max-age=3600', location: path })
  response.end()
}

const plainHeaders = (hsts: string | undefined) => ({
  ...securityHeaders(hsts),
  'content-security-policy': NO_DOCUMENT_POLICY,
  'content-type': 'text/plain; charset=utf-8',
})

/** Answers a request that Node cannot parse, and that therefore never reaches the app, with the site's headers. */
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
