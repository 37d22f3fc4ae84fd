import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'

/** What keeps a file of a folder from being read. */
export type NotInside = 'missing' | 'link' | 'noFile' | 'denied' | 'large'

/** Where the system has no such flags, a link is told by where it leads alone. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a file of a folder, and nothing beyond the folder: links within it are not followed, pipes and devices not
 * opened. The open file is what was looked at, whatever takes its place in the folder. A second name of a file (a hard link)
 * cannot be told from the first.
 * @param path from the folder
 */
export async function openInside(folder: string, path: string): Promise<FileHandle | NotInside> {
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) return 'missing'
  const file = resolve(root, path)
  if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return 'link'
  const seen = await lstat(file).catch(() => undefined)
  if (seen === undefined) return 'missing'
  if (seen.isSymbolicLink()) return 'link'
  if (!seen.isFile()) return 'noFile'
  const handle = await open(file, FLAGS).catch(
    ({ code }: NodeJS.ErrnoException): NotInside =>
      code === 'ELOOP' ? 'link' : code === 'ENOENT' ? 'missing' : 'denied',
  )
  if (typeof handle === 'string') return handle
  const refusal = await refusalOf(handle, file)
  if (refusal === undefined) return handle
  await handle.close()
  return refusal
}

async function refusalOf(handle: FileHandle, file: string): Promise<NotInside | undefined> {
  if (!(await handle.stat()).isFile()) return 'noFile'
  // Linux says where an open file lies; elsewhere its path is followed a second time.
  const where = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(file).catch(() => undefined))
  return where === file ? undefined : 'link'
}

/** Reads a file of a folder as openInside opens it. @param maxBytes what is larger is not read */
export async function readInside(folder: string, path: string, maxBytes: number): Promise<Buffer | NotInside> {
  const handle = await openInside(folder, path)
  if (typeof handle === 'string') return handle
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) return 'large'
    const bytes = Buffer.alloc(size)
    let read = 0
    while (read < size) {
      const { bytesRead } = await handle.read(bytes, read, size - read, read)
      if (bytesRead === 0) break
      read += bytesRead
    }
    return bytes.subarray(0, read)
  } finally {
    await handle.close()
  }
}
