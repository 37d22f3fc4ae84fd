import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '#app/core/http/client-networks.server.ts'

export interface Cap {
  /** Connections at once. */
  total: number
  /** Connections of one network at once; undefined where a proxy's address stands for everybody's. */
  perNetwork: number | undefined
}

/**
 * Keeps the number of open connections within bounds, over all and for each network. Where one too many comes, the
 * oldest on which nothing is asked for gives way, such as one that has been sending its first line for ten seconds; the
 * new one is refused only when all of them are at work.
 */
export function capConnections(server: Server, { total, perNetwork }: Cap): void {
  const all = new Set<Socket>()
  const networks = new Map<string, Set<Socket>>()
  const asking = new Map<Socket, number>()

  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress) ?? ''
    const own = networks.get(network) ?? new Set()
    const isRoom =
      (perNetwork === undefined || own.size < perNetwork || giveWay(own)) && (all.size < total || giveWay(all))
    if (!isRoom) {
      socket.destroy()
      return
    }
    networks.set(network, own.add(socket))
    all.add(socket)
    socket.once('close', () => {
      all.delete(socket)
      own.delete(socket)
      if (own.size === 0 && networks.get(network) === own) networks.delete(network)
    })
  })

  // Behind whatever answers: most answers are there by then, and only what waits is kept account of.
  server.on('request', ({ socket }, response) => {
    if (response.writableEnded) return
    asking.set(socket, (asking.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = asking.get(socket)! - 1
      if (left > 0) asking.set(socket, left)
      else asking.delete(socket)
    })
  })

  /** @returns whether one of them was ended */
  function giveWay(sockets: Set<Socket>): boolean {
    for (const socket of sockets) {
      if (asking.has(socket) || socket.writableLength > 0) continue
      // Counted no more at once: its end is told later.
      sockets.delete(socket)
      all.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
}
