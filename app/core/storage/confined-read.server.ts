import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'

/** A file of a folder is not read for one of these reasons. */
export type ReadRefusal = 'missing' | 'link' | 'noFile' | 'denied' | 'large'

/** On a system without these flags, only the path that a link resolves to gives it away. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a file of a folder, and nothing outside it: links are not followed, pipes and devices not opened. The checks hold for the
 * open file, even if its path is replaced meanwhile (TOCTOU). A hard link cannot be told from the file.
 * @param path from the folder
 */
export async function openInside(folder: string, path: string): Promise<FileHandle | ReadRefusal> {
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) return 'missing'
  const file = resolve(root, path)
  if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return 'link'
  const linkStat = await lstat(file).catch(() => undefined)
  if (linkStat === undefined) return 'missing'
  if (linkStat.isSymbolicLink()) return 'link'
  if (!linkStat.isFile()) return 'noFile'
  const handle = await open(file, FLAGS).catch(
    ({ code }: NodeJS.ErrnoException): ReadRefusal =>
      code === 'ELOOP' ? 'link' : code === 'ENOENT' ? 'missing' : 'denied',
  )
  if (typeof handle === 'string') return handle
  const refusal = await refusalOf(handle, file)
  if (refusal === undefined) return handle
  await handle.close()
  return refusal
}

async function refusalOf(handle: FileHandle, file: string): Promise<ReadRefusal | undefined> {
  if (!(await handle.stat()).isFile()) return 'noFile'
  // Linux tells the path of an open file; elsewhere the path is resolved a second time.
  const openPath = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(file).catch(() => undefined))
  return openPath === file ? undefined : 'link'
}

/** Reads a file of a folder, opened by openInside. @param maxBytes larger files are refused as `large` */
export async function readInside(folder: string, path: string, maxBytes: number): Promise<Buffer | ReadRefusal> {
  const handle = await openInside(folder, path)
  if (typeof handle === 'string') return handle
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) return 'large'
    const bytes = Buffer.alloc(size)
    let readBytes = 0
    while (readBytes < size) {
      const { bytesRead } = await handle.read(bytes, readBytes, size - readBytes, readBytes)
      if (bytesRead === 0) break
      readBytes += bytesRead
    }
    return bytes.subarray(0, readBytes)
  } finally {
    await handle.close()
  }
}
