import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as NetServer } from 'node:net'

/** Requests under way get this long at the end; the whole stop stays under ten seconds. */
const DRAIN_MS = 4_000

/** Where a process of the site takes requests: one or several places, and how it leaves them. */
export interface Listener {
  server: Server
  /**
   * Takes requests, at a place of the network or on what a keeper holds for it; again after `leave`, too.
   * @throws what the system says
   */
  open(at: { port: number; host: string } | { handle: unknown }): Promise<void>
  /** Answers the same on a Unix socket, for whoever asks after this process alone. */
  openAlso(path: string): Promise<void>
  /** Takes no new connection; on those that there are, each answer is the last. */
  leave(): void
  /** Connections that it has, other than the ones of `openAlso`. */
  count(): Promise<number>
  /** Takes no new request, finishes those under way, and cuts what is left after DRAIN_MS. */
  close(): Promise<void>
}

export function createListener(answer: RequestListener): Listener {
  let isLeaving = false
  const listener: RequestListener = (request, response) => {
    // Whoever comes again finds the process that has taken over.
    if (isLeaving) response.shouldKeepAlive = false
    answer(request, response)
  }
  const server = createServer({ requireHostHeader: false }, listener)
  server.on('checkExpectation', listener)
  const also: Server[] = []

  return {
    server,
    async open(at) {
      isLeaving = false
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        const opened = () => {
          server.off('error', reject)
          resolve()
        }
        if ('handle' in at) server.listen(at.handle, opened)
        else server.listen(at.port, at.host, opened)
      })
    },
    async openAlso(path) {
      const one = createServer(answer)
      also.push(one)
      await new Promise<void>((resolve, reject) => {
        one.once('error', reject)
        one.listen(path, resolve)
      })
    },
    leave() {
      isLeaving = true
      // Not the HTTP server's own way, which ends connections that wait for their next request: that one may be on its
      // way already, and is answered.
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
