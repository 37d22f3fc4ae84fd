import { lookup } from 'node:dns/promises'
import { BoundSocket } from 'node:net'
import { listenFault } from '#app/core/process/start-error.server.ts'

/**
 * Binds a port for the site's processes, which listen there in turn, or two at once: connections wait, and are never refused,
 * while the port is held and one process has listened.
 * @param port 0: any free port
 * @throws StartError when the port cannot be bound
 */
export async function bindPort(port: number, host: string): Promise<BoundSocket> {
  try {
    const { address } = await lookup(host)
    return new BoundSocket({ host: address, port })
  } catch (error) {
    throw listenFault((error as NodeJS.ErrnoException).code, port, host) ?? error
  }
}
