import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A piece of network that can go dead: nothing passes, and nobody is told. */
export interface Relevo {
  port: number
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** Hands connections of a port of its own on to a Unix socket, or to another port of this machine. */
export async function startRelevo(to: string | number): Promise<Relevo> {
  const open = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
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
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
