import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Returns the `code` of a system error, such as ENOENT. */
export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code

/** Returns whether an operation found the disk full, be it the site's or the database's. 53100 is PostgreSQL's disk_full. */
export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', '53100'].includes(errorCode(error) ?? '')

/** Makes all creations, links and removals in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its file system journals such changes by itself.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder and its missing parents; each entry is durable. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/**
 * Writes a small file so that a reader sees the old or the new content whole: under a temporary name, then renamed over the old
 * file. The file is durable when the promise resolves.
 * @param drafts a folder of the same file system for the temporary name; by default the file's own
 */
export async function writeFileAtomically(
  file: string,
  body: string | Uint8Array,
  drafts = dirname(file),
): Promise<void> {
  const draft = join(drafts, `.${randomUUID()}.tmp`)
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(body)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await unlink(draft).catch(() => {})
    throw error
  }
  await syncFolder(dirname(file))
}

/** Reads the first bytes of a file; fewer if the file is shorter. */
export async function readHead(file: string, bytes: number): Promise<Uint8Array> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Returns the SHA-256 of a stream's bytes, in hex. */
export async function hashStream(bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(bytes, hash)
  return hash.digest('hex')
}

/** Returns the SHA-256 of a file, in hex. */
export const hashFile = (file: string): Promise<string> => hashStream(createReadStream(file))
