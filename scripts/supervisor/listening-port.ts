import { lookup } from 'node:dns/promises'
import * as net from 'node:net'
import { getSystemErrorName } from 'node:util'
import { placeFault } from '#app/core/process/start-error.server.ts'

/** A place of the network, held without taking anybody from it. */
export interface Puerto {
  /** What a process of the site listens at, once it is sent there. */
  handle: unknown
  port: number
  /** Lets go of it: from the moment at which no process listens there any more, whoever comes is refused. */
  close(): void
}

/** What Node's own cluster holds a place with, for processes that take turns at it. */
type Bind = (address: string, port: number, addressType: 4 | 6) => number | BoundHandle
interface BoundHandle {
  getsockname(out: { port?: number }): number
  close(): void
}

/**
 * Takes a place of the network for the site's processes, which listen there one after the other, or two at once: visitors
 * wait at it, and are refused at no moment, for as long as it is held and one of them has listened.
 * @param port 0: whichever is free
 * @throws StartError when it cannot be had
 */
export async function takePuerto(port: number, host: string): Promise<Puerto> {
  const { address, family } = await lookup(host).catch((error: NodeJS.ErrnoException) => {
    throw placeFault(error.code, port, host) ?? error
  })
  const bind = (net as unknown as { _createServerHandle: Bind })._createServerHandle
  const handle = bind(address, port, family === 6 ? 6 : 4)
  const fault = (errno: number) => {
    const code = getSystemErrorName(errno)
    return placeFault(code, port, host) ?? Object.assign(new Error(`${code} ${host}:${port}`), { code })
  }
  if (typeof handle === 'number') throw fault(handle)
  const place: { port?: number } = {}
  // A place that somebody else listens at is told of only now.
  const errno = handle.getsockname(place)
  if (errno !== 0) throw fault(errno)
  let isHeld = true
  return {
    handle,
    port: place.port!,
    close() {
      if (isHeld) handle.close()
      isHeld = false
    },
  }
}
