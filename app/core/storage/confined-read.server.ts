import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'

/**
 * Reason why a file was not read. `outside`: its path leads out of the folder, or over a link. `denied`: the system reported another
 * error when the file was opened. `large`: it is over the limit of `readConfined`.
 */
export type ReadRefusal = 'missing' | 'outside' | 'notAFile' | 'denied' | 'large'

/**
 * O_NOFOLLOW refuses a file that became a link after lstat. O_NONBLOCK keeps a pipe from blocking the process. Links in parent
 * folders, and all links on systems without O_NOFOLLOW, are found by `refusalOf`.
 */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a file in a folder, and no file outside it. Follows no links, and opens no pipes and devices. On Linux the checks hold
 * for the open file, even if its path is replaced meanwhile (TOCTOU). A hard link is opened like its file.
 * @param path relative to the folder
 */
export async function openConfined(folder: string, path: string): Promise<FileHandle | ReadRefusal> {
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) return 'missing'
  const filePath = resolve(root, path)
  if (!filePath.startsWith(root.endsWith(sep) ? root : root + sep)) return 'outside'
  const pathStat = await lstat(filePath).catch(() => undefined)
  if (pathStat === undefined) return 'missing'
  if (pathStat.isSymbolicLink()) return 'outside'
  if (!pathStat.isFile()) return 'notAFile'
  const handle = await open(filePath, OPEN_FLAGS).catch(
    ({ code }: NodeJS.ErrnoException): ReadRefusal =>
      code === 'ELOOP' ? 'outside' : code === 'ENOENT' ? 'missing' : 'denied',
  )
  if (typeof handle === 'string') return handle
  const refusal = await refusalOf(handle, filePath)
  if (refusal === undefined) return handle
  await handle.close()
  return refusal
}

async function refusalOf(handle: FileHandle, filePath: string): Promise<ReadRefusal | undefined> {
  if (!(await handle.stat()).isFile()) return 'notAFile'
  // Linux shows the path of an open file; on other systems the path is resolved again.
  const openPath = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(filePath).catch(() => undefined))
  return openPath === filePath ? undefined : 'outside'
}

/** Reads a file that `openConfined` would open. @param maxBytes larger files are refused as `large` */
export async function readConfined(folder: string, path: string, maxBytes: number): Promise<Buffer | ReadRefusal> {
  const handle = await openConfined(folder, path)
  if (typeof handle === 'string') return handle
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) return 'large'
    const bytes = Buffer.alloc(size)
    let filledBytes = 0
    while (filledBytes < size) {
      const { bytesRead } = await handle.read(bytes, filledBytes, size - filledBytes, filledBytes)
      if (bytesRead === 0) break
      filledBytes += bytesRead
    }
    return bytes.subarray(0, filledBytes)
  } finally {
    await handle.close()
  }
}
