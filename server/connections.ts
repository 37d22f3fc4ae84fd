import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#app/core/http/client-networks.server.ts'

export interface ConnectionLimits {
  total: number
  /** Most connections of one network; undefined behind a proxy, whose address all visitors share. */
  perNetwork: number | undefined
}

/**
 * Limits open connections, in total and for each network. At a limit, the oldest of the limited connections that has neither an
 * open request nor unsent data is closed in favour of the new one; its client may never complete a request. Without such a
 * connection, the new one is refused.
 */
export function limitConnections(server: Server, { total, perNetwork }: ConnectionLimits): void {
  const allSockets = new Set<Socket>()
  const socketsByNetwork = new Map<string, Set<Socket>>()
  const openRequestCounts = new Map<Socket, number>()

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress) ?? ''
    const networkSockets = socketsByNetwork.get(network) ?? new Set()
    const hasRoom =
      (perNetwork === undefined || networkSockets.size < perNetwork || closeOldest(networkSockets)) &&
      (allSockets.size < total || closeOldest(allSockets))
    if (!hasRoom) {
      socket.destroy()
      return
    }
    socketsByNetwork.set(network, networkSockets.add(socket))
    allSockets.add(socket)
    socket.once('close', () => {
      allSockets.delete(socket)
      networkSockets.delete(socket)
      if (networkSockets.size === 0 && socketsByNetwork.get(network) === networkSockets)
        socketsByNetwork.delete(network)
    })
  })

  // This listener runs after the site's own, which has already answered most requests: only open requests are counted.
  server.on('request', ({ socket }, response) => {
    if (response.writableEnded) return
    openRequestCounts.set(socket, (openRequestCounts.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const remainingCount = openRequestCounts.get(socket)! - 1
      if (remainingCount > 0) openRequestCounts.set(socket, remainingCount)
      else openRequestCounts.delete(socket)
    })
  })

  /** Closes the oldest connection without open requests and unsent data. @returns whether there was one */
  function closeOldest(sockets: Set<Socket>): boolean {
    for (const socket of sockets) {
      if (openRequestCounts.has(socket) || socket.writableLength > 0) continue
      // The connection is removed now, since the socket's 'close' event comes later.
      sockets.delete(socket)
      allSockets.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
}
