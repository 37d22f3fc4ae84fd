import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'

/** A file of a folder is not read for one of these reasons. */
export type NotInside = 'missing' | 'link' | 'noFile' | 'denied' | 'large'

/** On a system without these flags, only the path that a link resolves to gives it away. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a file of a folder, and nothing outside it: links are not followed, pipes and devices not opened. The checks hold for the
 * open file, even if its path is replaced meanwhile (TOCTOU). A hard link cannot be told from the file.
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
  // Linux tells the path of an open file; elsewhere the path is resolved a second time.
  const where = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(file).catch(() => undefined))
  return where === file ? undefined : 'link'
}

/** Reads a file of a folder, opened by openInside. @param maxBytes larger files are refused as `large` */
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
