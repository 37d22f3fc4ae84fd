import { lookup } from 'node:dns/promises'
import { BoundSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenFault } from '#app/core/process/start-error.server.ts'

/** Retries for 3 s, since a child process that a killed site had just forked holds the port until it runs its own program. */
const MAX_RETRIES = 30
const RETRY_MS = 100

/**
 * Binds a port for the site's processes, which listen on it one after the other, or two at once. Once a process has listened,
 * connections wait and are not refused as long as the port is bound.
 * @param port if it is 0, the system chooses a free port
 * @throws StartError with the reason why the port cannot be bound, or the system's error
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
