import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** Longest wait of a stop for open requests, so that the whole stop takes less than ten seconds. */
const DRAIN_MS = 4_000

/** The HTTP listener of a process of the site, on one or several sockets. */
export interface SiteListener {
  server: Server
  /** Listens on a host and port, or on the supervisor's port, given by its handle. @throws the system's error */
  open(target: { port: number; host: string } | { handle: unknown }): Promise<void>
  /** Listens also on a Unix socket, for health checks of this process alone. */
  openHealthSocket(path: string): Promise<void>
  /** Stops accepting connections; open connections close after their next response. */
  leave(): void
  /** Counts connections, except connections to the health socket; 0 if the system does not know the number. */
  countConnections(): Promise<number>
  /** Stops accepting connections, finishes the open requests, and closes the remaining connections after DRAIN_MS. */
  close(): Promise<void>
}

export function createListener(answer: RequestListener): SiteListener {
  let isLeaving = false
  const listener: RequestListener = (request, response) => {
    // The connection closes, so that the browser's next connection leads to the process that has taken over.
    if (isLeaving) response.shouldKeepAlive = false
    answer(request, response)
  }
  const server = createServer({ requireHostHeader: false }, listener)
  server.on('checkExpectation', listener)
  const healthServers: Server[] = []

  return {
    server,
    async open(target) {
      if ('handle' in target) server.listen(target.handle)
      else server.listen(target.port, target.host)
      await once(server, 'listening')
    },
    async openHealthSocket(path) {
      const healthServer = createServer(answer).listen(path)
      healthServers.push(healthServer)
      await once(healthServer, 'listening')
    },
    leave() {
      isLeaving = true
      // The HTTP server's own `close` would also end idle connections, whose next request may already be on its way.
      NetServer.prototype.close.call(server)
    },
    countConnections: () =>
      new Promise((resolve) => {
        server.getConnections((error, count) => resolve(error ? 0 : count))
      }),
    async close() {
      for (const healthServer of healthServers) {
        healthServer.close()
        healthServer.closeAllConnections()
      }
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeIdleConnections()
      // A connection becomes idle when its response ends.
      const idleTimer = setInterval(() => server.closeIdleConnections(), 100)
      const drainTimer = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
      await closed
      clearInterval(idleTimer)
      clearTimeout(drainTimer)
    },
  }
}
