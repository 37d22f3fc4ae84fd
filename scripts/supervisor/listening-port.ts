import { lookup } from 'node:dns/promises'
import * as net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getSystemErrorName } from 'node:util'
import { listenFault } from '#app/core/process/start-error.server.ts'

/** A bound port is held open without accepting connections. */
export interface BoundPort {
  /** `handle` is for a process of the site, which listens on it. */
  handle: unknown
  port: number
  /** Releases the port: connections are refused once no process listens there any more. */
  close(): void
}

/** Node's cluster module binds ports that processes share by this internal function, which has no promise of stability. */
type Bind = (address: string, port: number, addressType: 4 | 6) => number | BoundHandle
interface BoundHandle {
  getsockname(out: { port?: number }): number
  close(): void
}

/** A process that a killed site was just starting holds the port until it runs its own program: the port is tried for 3 s. */
const MAX_ATTEMPTS = 30
const ATTEMPT_MS = 100
const isInUse = (errno: number) => errno < 0 && getSystemErrorName(errno) === 'EADDRINUSE'

/**
 * Binds a port for the site's processes, which listen there in turn, or two at once: connections wait, and are never refused,
 * while the port is held and one process has listened.
 * @param port 0: any free port
 * @throws StartError when the port cannot be bound
 */
export async function bindPort(port: number, host: string): Promise<BoundPort> {
  const { address, family } = await lookup(host).catch((error: NodeJS.ErrnoException) => {
    throw listenFault(error.code, port, host) ?? error
  })
  const bind = (net as unknown as { _createServerHandle: Bind })._createServerHandle
  let handle = bind(address, port, family === 6 ? 6 : 4)
  const place: { port?: number } = {}
  // libuv reports an address in use only when it is asked for the name, not when it binds.
  const errnoOf = () => (typeof handle === 'number' ? handle : handle.getsockname(place))
  for (let attempt = 0; attempt < MAX_ATTEMPTS && isInUse(errnoOf()); attempt++) {
    if (typeof handle !== 'number') handle.close()
    await sleep(ATTEMPT_MS)
    handle = bind(address, port, family === 6 ? 6 : 4)
  }
  const fault = (errno: number) => {
    const code = getSystemErrorName(errno)
    return listenFault(code, port, host) ?? Object.assign(new Error(`${code} ${host}:${port}`), { code })
  }
  const errno = errnoOf()
  if (typeof handle === 'number' || errno !== 0) throw fault(errno)
  const held = handle
  let isHeld = true
  return {
    handle: held,
    port: place.port!,
    close() {
      if (isHeld) held.close()
      isHeld = false
    },
  }
}
