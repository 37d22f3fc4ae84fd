import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { withShortPath } from '#app/core/process/liveness-socket.server.ts'

// The control socket in the data folder lets commands speak to the supervisor of a running site: one JSON object a line, both
// ways. Only this account may write to the socket, and so connect. The orders and answers are also exchanged with the version before.

export const CONTROL_SOCKET = 'mando.sock'

export type ObjectRecord = Record<string, unknown>

/** A command sees the connection to the supervisor as a `ControlSocket`. */
export interface ControlSocket {
  /**
   * Sends an order.
   * @param on is called with each report of progress (`avance`)
   * @returns the last answer
   * @throws when the supervisor answers `falla`, or disconnects
   */
  order(order: ObjectRecord, on?: (progress: string) => void): Promise<ObjectRecord>
  close(): void
}

/** Connects to the supervisor. @returns undefined where no supervisor listens in the folder */
export async function reachControlSocket(dataDir: string): Promise<ControlSocket | undefined> {
  const socket = await withShortPath(dataDir, CONTROL_SOCKET, async (path) => {
    const one = connect(path)
    await once(one, 'connect')
    return one.on('error', () => {})
  }).catch(() => undefined)
  if (!socket) return undefined
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async order(order, on = () => {}) {
      socket.write(`${JSON.stringify(order)}\n`)
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error('El sitio terminó mientras tanto.')
        const answer = JSON.parse(value as string) as ObjectRecord
        if (typeof answer.avance === 'string') on(answer.avance)
        else if (typeof answer.falla === 'string') throw new Error(answer.falla)
        else return answer
      }
    },
    close: () => socket.destroy(),
  }
}
