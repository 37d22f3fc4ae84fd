import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { stopLeftover } from '#app/core/postgres/embedded.server.ts'
import { createFolderDurably } from '#app/core/process/durable-files.server.ts'
import { currentPidNamespace, isAlive, processStartTime } from '#app/core/process/pid-info.server.ts'
import { DAY_MS, HOUR_MS } from '#app/core/time/durations.ts'

// The name of a temporary folder states process id namespace, process id and start time of the process that owns it, so that
// leftovers of killed processes can be recognised. Folders of earlier versions lack these parts.
const FOLDER_NAME = /^\.certamen-(?:([0-9a-f]{6})-(\d+)-([0-9a-f]{6})-)?\w{6}$/
/** A folder of an earlier version or of another process id namespace, whose process cannot be checked, is removed at this age. */
const MAX_OTHER_NAMESPACE_AGE_MS = DAY_MS
/** An embedded PostgreSQL cluster in a temporary folder must have this name, by which the sweep finds and stops its server. */
export const CLUSTER_FOLDER_NAME = 'postgres'

const shortHash = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 6)

const openFolders = new Set<string>()
const sweptParents = new Set<string>()

// When this process ends without being killed, its temporary folders are removed. Servers in them have ended by then.
process.on('exit', () => {
  for (const folder of openFolders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/**
 * Runs work with a temporary folder in `parent`. The folder is removed afterwards, also at `process.exit`. The first call for a
 * parent folder removes the leftovers of killed processes in it.
 */
export async function withTempFolder<Result>(
  parent: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  await createFolderDurably(parent)
  if (!sweptParents.has(resolve(parent))) {
    sweptParents.add(resolve(parent))
    await sweepTempFolders(parent)
  }
  const ownerName = [
    shortHash(await currentPidNamespace()),
    process.pid,
    shortHash(await processStartTime(process.pid)),
  ].join('-')
  const folder = await mkdtemp(join(parent, `.certamen-${ownerName}-`))
  openFolders.add(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    openFolders.delete(folder)
  }
}

/**
 * Ends servers and removes folders of killed processes; folders of live processes stay, as do young folders whose
 * process cannot be checked (MAX_OTHER_NAMESPACE_AGE_MS).
 */
export async function sweepTempFolders(parent: string): Promise<void> {
  const ownNamespace = shortHash(await currentPidNamespace())
  for (const name of await readdir(parent).catch((): string[] => [])) {
    const [matchedName, pidNamespace, pid, startTime] = FOLDER_NAME.exec(name) ?? []
    if (matchedName === undefined) continue
    const folder = join(parent, name)
    if (
      pidNamespace === ownNamespace &&
      isAlive(Number(pid)) &&
      shortHash(await processStartTime(Number(pid))) === startTime
    )
      continue
    const ageMs = Date.now() - ((await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now())
    if (pidNamespace !== ownNamespace && ageMs < MAX_OTHER_NAMESPACE_AGE_MS) continue
    try {
      await stopLeftover(join(folder, CLUSTER_FOLDER_NAME))
      await rm(folder, { recursive: true, force: true })
    } catch {
      // A folder that is in use elsewhere, or whose server is still ending, is tried again by the next sweep.
    }
  }
}

/** A file to which nothing has been written for this long counts as left by a killed process. */
const MAX_TEMP_FILE_AGE_MS = 2 * HOUR_MS

export interface TempFile {
  path: string
  /** Bytes written so far. */
  readonly size: number
  write(chunk: Uint8Array): Promise<void>
  /** Closes the file. @returns the file's SHA-256, in hex */
  close(): Promise<string>
  remove(): Promise<void>
}

/**
 * Opens a folder for files that are useless after a crash, and removes old files that other processes left in it.
 * @returns a function that creates a file in the folder
 */
export async function createTempFileFactory(folder: string): Promise<() => Promise<TempFile>> {
  await createFolderDurably(folder)
  for (const name of await readdir(folder)) {
    const fileStats = await stat(join(folder, name)).catch(() => undefined)
    if (fileStats && Date.now() - fileStats.mtimeMs > MAX_TEMP_FILE_AGE_MS)
      await rm(join(folder, name), { recursive: true, force: true })
  }
  return async () => {
    const path = join(folder, randomUUID())
    const handle = await open(path, 'wx', 0o600)
    const hash = createHash('sha256')
    let size = 0
    let isOpen = true
    const closeOnce = async () => {
      if (!isOpen) return
      isOpen = false
      await handle.close()
    }
    return {
      path,
      get size() {
        return size
      },
      async write(chunk) {
        for (let written = 0; written < chunk.byteLength; )
          written += (await handle.write(chunk, written, chunk.byteLength - written)).bytesWritten
        hash.update(chunk)
        size += chunk.byteLength
      },
      async close() {
        await closeOnce()
        return hash.digest('hex')
      },
      async remove() {
        await closeOnce()
        await rm(path, { force: true })
      },
    }
  }
}
