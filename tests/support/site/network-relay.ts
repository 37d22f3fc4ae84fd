import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A NetworkRelay is a piece of network that can go dead: no byte passes, and neither end is told. */
export interface NetworkRelay {
  port: number
  freeze(): void
  thaw(): void
  /** Leads new connections to another target, and ends the open ones. */
  redirectTo(to: string | number): void
  /** Ends every connection: without an answer, or with `words` as the answer to any request; `null` relays again. */
  refuse(words?: string | null): void
  stop(): Promise<void>
}

/** Relays connections from a port of this machine to a Unix socket, or to another port. */
export async function startNetworkRelay(first: string | number): Promise<NetworkRelay> {
  let to = first
  const open = new Set<Socket>()
  let isFrozen = false
  let refusal: string | null | undefined = null
  const server = createServer((near) => {
    if (refusal !== null) {
      near.on('error', () => {})
      const words = refusal
      if (words === undefined) near.destroy()
      else near.once('data', () => near.end(words))
      return
    }
    const far = typeof to === 'string' ? connect(to) : connect(to, '127.0.0.1')
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => other.write(bytes))
      from.on('close', () => {
        open.delete(from)
        if (!isFrozen) other.destroy()
      })
      if (isFrozen) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
      for (const socket of open) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of open) socket.resume()
    },
    redirectTo(other) {
      to = other
      for (const socket of open) socket.destroy()
    },
    refuse(words) {
      refusal = words
      for (const socket of open) socket.destroy()
    },
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
