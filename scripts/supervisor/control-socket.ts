import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { withShortPath } from '#app/core/process/liveness-socket.server.ts'

// Commands connect to the supervisor of a running site through a Unix socket in the data folder. Each request and each answer is
// one line of JSON, and both must stay compatible with the previous version. Only the operating-system user of the site and root may
// connect.

export const CONTROL_SOCKET_NAME = 'mando.sock'

export type JsonObject = Record<string, unknown>

/** A command's connection to the supervisor. */
export interface SupervisorConnection {
  /**
   * Sends a request.
   * @param onProgress receives each report of progress (`avance`)
   * @returns the answer after the reports
   * @throws when the supervisor answers `falla`, or disconnects
   */
  request(request: JsonObject, onProgress?: (progress: string) => void): Promise<JsonObject>
  close(): void
}

/** Connects to the supervisor. @returns undefined if no supervisor listens in the folder, or this account may not connect */
export async function connectToSupervisor(dataDir: string): Promise<SupervisorConnection | undefined> {
  const socket = await withShortPath(dataDir, CONTROL_SOCKET_NAME, async (path) => {
    const connection = connect(path)
    await once(connection, 'connect')
    return connection.on('error', () => {})
  }).catch(() => undefined)
  if (!socket) return undefined
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async request(request, onProgress = () => {}) {
      socket.write(`${JSON.stringify(request)}\n`)
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error('El sitio terminó mientras tanto.')
        const answer = JSON.parse(value as string) as JsonObject
        if (typeof answer.avance === 'string') onProgress(answer.avance)
        else if (typeof answer.falla === 'string') throw new Error(answer.falla)
        else return answer
      }
    },
    close: () => socket.destroy(),
  }
}
