import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between two ends that can go dead: it then passes no bytes, and keeps the connections open. */
export interface NetworkRelay {
  port: number
  freeze(): void
  thaw(): void
  /** Leads new connections to another target, and ends the open connections. */
  redirectTo(target: string | number): void
  /** Ends every connection: without a response, or with `responseText` as the response to any request; `null` relays again. */
  refuse(responseText?: string | null): void
  stop(): Promise<void>
}

/** Relays connections from a port of this machine to a Unix socket, or to another port. */
export async function startNetworkRelay(initialTarget: string | number): Promise<NetworkRelay> {
  let target = initialTarget
  const sockets = new Set<Socket>()
  let isFrozen = false
  let refusal: string | null | undefined = null
  const server = createServer((clientSocket) => {
    if (refusal !== null) {
      clientSocket.on('error', () => {})
      const responseText = refusal
      if (responseText === undefined) clientSocket.destroy()
      else clientSocket.once('data', () => clientSocket.end(responseText))
      return
    }
    const targetSocket = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1')
    for (const [source, destination] of [
      [clientSocket, targetSocket],
      [targetSocket, clientSocket],
    ] as const) {
      sockets.add(source)
      source.on('error', () => {})
      source.on('data', (bytes) => destination.write(bytes))
      source.on('close', () => {
        sockets.delete(source)
        if (!isFrozen) destination.destroy()
      })
      if (isFrozen) source.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    redirectTo(destination) {
      target = destination
      for (const socket of sockets) socket.destroy()
    },
    refuse(responseText) {
      refusal = responseText
      for (const socket of sockets) socket.destroy()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
