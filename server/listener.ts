import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** A stop waits this many milliseconds for open requests; the whole stop stays under ten seconds. */
const DRAIN_MS = 4_000

/** A `Listener` is the HTTP listener of a process of the site, on one or several sockets. */
export interface Listener {
  server: Server
  /** Listens at an address, or on the supervisor's port, which an object with its descriptor stands for. @throws the system's error */
  open(at: { port: number; host: string } | { handle: unknown }): Promise<void>
  /** Listens on a Unix socket too, for health checks of this process alone. */
  openAlso(path: string): Promise<void>
  /** Accepts no new connection; open ones close after their next answer. */
  leave(): void
  /** Counts connections, without those of `openAlso`; 0 if the system cannot tell. */
  count(): Promise<number>
  /** Accepts no new request, finishes the open ones, and cuts the rest after DRAIN_MS. */
  close(): Promise<void>
}

export function createListener(answer: RequestListener): Listener {
  let isLeaving = false
  const listener: RequestListener = (request, response) => {
    // The browser connects again, to the process that has taken over.
    if (isLeaving) response.shouldKeepAlive = false
    answer(request, response)
  }
  const server = createServer({ requireHostHeader: false }, listener)
  server.on('checkExpectation', listener)
  const also: Server[] = []

  return {
    server,
    async open(at) {
      if ('handle' in at) server.listen(at.handle)
      else server.listen(at.port, at.host)
      await once(server, 'listening')
    },
    async openAlso(path) {
      const one = createServer(answer).listen(path)
      also.push(one)
      await once(one, 'listening')
    },
    leave() {
      isLeaving = true
      // The HTTP server's own `close` would end idle connections, whose next request may be on its way already, and is answered.
      NetServer.prototype.close.call(server)
    },
    count: () =>
      new Promise((resolve) => {
        server.getConnections((error, count) => resolve(error ? 0 : count))
      }),
    async close() {
      for (const one of also) {
        one.close()
        one.closeAllConnections()
      }
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeIdleConnections()
      const idle = setInterval(() => server.closeIdleConnections(), 100)
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
      await closed
      clearInterval(idle)
      clearTimeout(cut)
    },
  }
}
