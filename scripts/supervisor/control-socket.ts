import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isSocketAnswering, withShortPath } from '#app/core/process/liveness-socket.server.ts'

// The control socket in the data folder lets commands speak to the supervisor of a running site: one JSON object a line, both
// ways. Only this account may write to the socket, and so connect.

const NAME = 'mando.sock'
const MAX_ORDER_CHARS = 10_000

export type ObjectRecord = Record<string, unknown>

/** The supervisor sees a connected command as a `ControlConnection`. */
export interface ControlConnection {
  /** Sends an answer; does nothing after the command has disconnected. */
  say(answer: ObjectRecord): void
  /** The signal is aborted when the command disconnects. */
  disconnectSignal: AbortSignal
}

/**
 * Listens in a data folder that this process has claimed.
 * @param obey is called with each order; an error that it throws is answered as `falla`
 * @returns a function that closes the socket
 */
export async function openControlSocket(
  dataDir: string,
  obey: (order: ObjectRecord, from: ControlConnection) => Promise<void>,
): Promise<() => Promise<void>> {
  await rm(join(dataDir, NAME), { force: true })
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const gone = new AbortController()
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      gone.abort()
    })
    const say = (answer: ObjectRecord) => {
      if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`)
    }
    const from: ControlConnection = { say, disconnectSignal: gone.signal }
    createInterface({ input: socket }).on('line', (line) => {
      void (async () => {
        try {
          if (line.length > MAX_ORDER_CHARS) throw new Error('too long')
          await obey(JSON.parse(line) as ObjectRecord, from)
        } catch (error) {
          say({ falla: (error as Error).message })
        }
      })()
    })
  })
  await withShortPath(
    dataDir,
    NAME,
    (path) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        // `listen` creates the file within the call, so the umask keeps other accounts out from the first moment.
        const mask = process.umask(0o177)
        try {
          server.listen(path, resolve)
        } finally {
          process.umask(mask)
        }
      }),
  )
  server.unref()
  return async () => {
    server.close()
    for (const socket of open) socket.destroy()
    await rm(join(dataDir, NAME), { force: true })
  }
}

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
  if (!(await isSocketAnswering(dataDir, NAME).catch(() => false))) return undefined
  const socket = await withShortPath(
    dataDir,
    NAME,
    (path) =>
      new Promise<Socket>((resolve, reject) => {
        const one = connect(path, () => resolve(one)).once('error', reject)
      }),
  )
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  socket.on('error', () => {})
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
