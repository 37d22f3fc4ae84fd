import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code

/** Returns whether an error reports a full disk, of the site or of the database (53100 is PostgreSQL's disk_full). */
export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', '53100'].includes(errorCode(error) ?? '')

/** Makes all creations, links and removals in a folder durable, so that they survive a power cut. */
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

export async function createFolderDurably(folder: string): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (firstCreated === undefined) return
  for (let created = folder; created.length >= firstCreated.length; created = dirname(created))
    await syncFolder(dirname(created))
}

/**
 * Replaces a small file atomically and durably, by writing the new content to a temporary file and renaming it over the old file.
 * @param tempFolder must be on the same file system as the file
 */
export async function writeFileAtomically(
  file: string,
  body: string | Uint8Array,
  tempFolder = dirname(file),
): Promise<void> {
  const tempPath = join(tempFolder, `.${randomUUID()}.tmp`)
  try {
    const handle = await open(tempPath, 'wx', 0o600)
    try {
      await handle.writeFile(body)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(tempPath, file)
  } catch (error) {
    await unlink(tempPath).catch(() => {})
    throw error
  }
  await syncFolder(dirname(file))
}

/** Reads the first `maxBytes` bytes of a file, or all of a shorter file. */
export async function readHead(file: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(maxBytes), 0, maxBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Returns the SHA-256 of a stream's bytes, in hex. */
export async function hashStream(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(stream, hash)
  return hash.digest('hex')
}

export const hashFile = (file: string): Promise<string> => hashStream(createReadStream(file))
