import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { answersIn, withPath } from '#app/core/process/liveness-socket.server.ts'

// The socket in the data folder by which commands of the terminal speak to the keeper of a running site: one JSON object
// a line, both ways. Whoever may not write to it cannot connect, and only this account may.

const NAME = 'mando.sock'
const MAX_ORDER_CHARS = 10_000

export type ObjectRecord = Record<string, unknown>

/** One command that speaks to the keeper. */
export interface ControlConnection {
  /** Tells it something; nothing where it has gone. */
  say(answer: ObjectRecord): void
  /** Aborted when it has gone. */
  gone: AbortSignal
}

/**
 * Listens in a data folder that this process has claimed.
 * @param obey is handed each order; whatever it throws is answered as `falla`
 * @returns ends it
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
    const from: ControlConnection = { say, gone: gone.signal }
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
  await withPath(
    dataDir,
    NAME,
    (path) =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        // The file is made within the call: nobody else can reach it for a moment.
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

/** A command's way to the keeper. */
export interface ControlSocket {
  /**
   * Gives an order.
   * @param on is told what the keeper says meanwhile (`avance`)
   * @returns its last answer
   * @throws when the keeper says `falla`, or has gone
   */
  order(order: ObjectRecord, on?: (progress: string) => void): Promise<ObjectRecord>
  close(): void
}

/** @returns undefined where no keeper listens in the folder */
export async function reachControlSocket(dataDir: string): Promise<ControlSocket | undefined> {
  if (!(await answersIn(dataDir, NAME).catch(() => false))) return undefined
  const socket = await withPath(
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
