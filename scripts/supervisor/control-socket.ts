import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { withShortPath } from '#app/core/process/liveness-socket.server.ts'

// By the control socket in the data folder, commands send orders to the supervisor of a running site. Orders and answers are one
// JSON object a line, and must stay compatible with the version before. Only this account may connect.

export const CONTROL_SOCKET = 'mando.sock'

export type ObjectRecord = Record<string, unknown>

/** A command's connection to the supervisor. */
export interface ControlSocket {
  /**
   * Sends an order.
   * @param onProgress receives each report of progress (`avance`)
   * @returns the last answer
   * @throws when the supervisor answers `falla`, or disconnects
   */
  order(order: ObjectRecord, onProgress?: (progress: string) => void): Promise<ObjectRecord>
  close(): void
}

/** Connects to the supervisor. @returns undefined if no supervisor listens in the folder */
export async function reachControlSocket(dataDir: string): Promise<ControlSocket | undefined> {
  const socket = await withShortPath(dataDir, CONTROL_SOCKET, async (path) => {
    const connection = connect(path)
    await once(connection, 'connect')
    return connection.on('error', () => {})
  }).catch(() => undefined)
  if (!socket) return undefined
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async order(order, onProgress = () => {}) {
      socket.write(`${JSON.stringify(order)}\n`)
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error('El sitio terminó mientras tanto.')
        const answer = JSON.parse(value as string) as ObjectRecord
        if (typeof answer.avance === 'string') onProgress(answer.avance)
        else if (typeof answer.falla === 'string') throw new Error(answer.falla)
        else return answer
      }
    },
    close: () => socket.destroy(),
  }
}
