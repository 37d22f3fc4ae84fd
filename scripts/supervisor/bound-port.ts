import { lookup } from 'node:dns/promises'
import { BoundSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenFault } from '#app/core/process/start-error.server.ts'

/** A process that a killed site was just starting holds the port until it runs its own program: the port is tried for 3 s. */
const MAX_RETRIES = 30
const RETRY_MS = 100

/**
 * Binds a port for the site's processes, which listen there in turn, or two at once: connections wait, and are never refused,
 * while the port is held and one process has listened.
 * @param port with 0 the system chooses a free port
 * @throws StartError when the port cannot be bound
 */
export async function bindPort(port: number, host: string): Promise<BoundSocket> {
  for (let attempt = 0; ; attempt++)
    try {
      const { address } = await lookup(host)
      return new BoundSocket({ host: address, port })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' || attempt === MAX_RETRIES) throw listenFault(code, port, host) ?? error
      await sleep(RETRY_MS)
    }
}
