import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#app/core/http/client-networks.server.ts'

export interface Cap {
  /** The number of connections at once. */
  total: number
  /**
   * `perNetwork` is the number of connections of one network at once; undefined behind a proxy, whose address all visitors share.
   */
  perNetwork: number | undefined
}

/**
 * Limits open connections, in total and for each network. At a limit, the oldest connection without an open request is closed for
 * the new one, such as one that has been sending its first line for ten seconds; the new one is refused only when all others have
 * an open request.
 */
export function capConnections(server: Server, { total, perNetwork }: Cap): void {
  const all = new Set<Socket>()
  const networks = new Map<string, Set<Socket>>()
  const openRequests = new Map<Socket, number>()

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress) ?? ''
    const ofNetwork = networks.get(network) ?? new Set()
    const isRoom =
      (perNetwork === undefined || ofNetwork.size < perNetwork || giveWay(ofNetwork)) &&
      (all.size < total || giveWay(all))
    if (!isRoom) {
      socket.destroy()
      return
    }
    networks.set(network, ofNetwork.add(socket))
    all.add(socket)
    socket.once('close', () => {
      all.delete(socket)
      ofNetwork.delete(socket)
      if (ofNetwork.size === 0 && networks.get(network) === ofNetwork) networks.delete(network)
    })
  })

  // This listener runs after the site's own: most answers have ended by then, and only open requests are counted.
  server.on('request', ({ socket }, response) => {
    if (response.writableEnded) return
    openRequests.set(socket, (openRequests.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = openRequests.get(socket)! - 1
      if (left > 0) openRequests.set(socket, left)
      else openRequests.delete(socket)
    })
  })

  /** Closes the oldest connection without an open request. @returns whether a connection was closed */
  function giveWay(sockets: Set<Socket>): boolean {
    for (const socket of sockets) {
      if (openRequests.has(socket) || socket.writableLength > 0) continue
      // The connection is removed at once, since the socket's 'close' comes later.
      sockets.delete(socket)
      all.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
}
