import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

/** The path of a socket has at most this many bytes (unix(7)). */
const MAX_PATH_BYTES = 107
const CONNECT_TIMEOUT_MS = 1_000

/**
 * A socket in a folder, on which a process listens as long as it lives. Unlike a process id, it can be checked from every
 * container in which the folder is mounted.
 */
export interface LivenessSocket {
  /** File name within the folder. */
  name: string
  close(): Promise<void>
}

/** Listens on a new socket in a folder. @returns undefined if the folder cannot have a socket, as on some file systems */
export async function listenInFolder(folder: string): Promise<LivenessSocket | undefined> {
  const name = `sitio.${randomUUID().slice(0, 8)}.sock`
  const server = createServer((socket) => socket.on('error', () => {}).destroy())
  const isOpen = await withShortPath(
    folder,
    name,
    (path) =>
      new Promise<boolean>((resolve) => {
        server.once('error', () => resolve(false))
        server.listen(path, () => resolve(true))
      }),
  )
  if (!isOpen) return undefined
  server.on('error', () => {})
  server.unref()
  return {
    name,
    async close() {
      server.close()
      await rm(join(folder, name), { force: true })
    },
  }
}

/** Returns whether a process, even a busy or stopped one, listens on a folder's socket. */
export const isSocketAnswering = (folder: string, name: string): Promise<boolean> =>
  withShortPath(
    folder,
    name,
    (path) =>
      new Promise<boolean>((resolve) => {
        const socket = connect(path)
        const finish = (isAnswering: boolean) => {
          socket.destroy()
          resolve(isAnswering)
        }
        // While the queue of a live process is full, connecting hangs.
        socket.setTimeout(CONNECT_TIMEOUT_MS, () => finish(true))
        socket.once('connect', () => finish(true))
        socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code === 'EAGAIN'))
      }),
  )

/**
 * Runs work with a socket path that is short enough. If the folder's own path is too long, the socket's path leads through the
 * folder's open file descriptor. Only Linux has paths of descriptors, so on other systems a long path fails.
 */
export async function withShortPath<Result>(
  folder: string,
  name: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== 'linux') return work(path)
  let folderHandle: FileHandle | undefined
  try {
    folderHandle = await open(folder, 'r')
    return await work(`/proc/self/fd/${folderHandle.fd}/${name}`)
  } finally {
    await folderHandle?.close()
  }
}
