import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { stopLeftover } from '#app/core/postgres/embedded.server.ts'
import { makeFolder } from '#app/core/process/durable-files.server.ts'
import { currentPidNamespace, isAlive, processBirth } from '#app/core/process/pid-info.server.ts'

// A temporary folder's name tells its owner, so that leftovers of killed processes can be recognised: the process id namespace,
// the process id and the time of the process's birth.
const NAME = /^\.certamen-(?:([0-9a-f]{6})-(\d+)-([0-9a-f]{6})-)?\w{6}$/
/** A folder whose process cannot be seen from here is left alone for this long. */
const FOREIGN_LIFE_MS = 24 * 3_600_000
/** An embedded server's cluster has this name within a temporary folder. */
export const CLUSTER = 'postgres'

const shortHash = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 6)

const openFolders = new Set<string>()
const sweptParents = new Set<string>()

// Temporary folders are removed with this process, unless it is killed. Servers in them end before.
process.on('exit', () => {
  for (const folder of openFolders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/**
 * Runs work with a temporary folder inside `within`, removed afterwards, also when the process is told to end. Leftovers of
 * killed processes there are swept first, once per process.
 */
export async function withTempFolder<Done>(within: string, work: (folder: string) => Promise<Done>): Promise<Done> {
  await makeFolder(within)
  if (!sweptParents.has(resolve(within))) {
    sweptParents.add(resolve(within))
    await sweepTempFolders(within)
  }
  const ownerName = [
    shortHash(await currentPidNamespace()),
    process.pid,
    shortHash(await processBirth(process.pid)),
  ].join('-')
  const folder = await mkdtemp(join(within, `.certamen-${ownerName}-`))
  openFolders.add(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    openFolders.delete(folder)
  }
}

/** Ends the servers that killed processes left behind, and removes their folders. */
export async function sweepTempFolders(within: string): Promise<void> {
  const ownNamespace = shortHash(await currentPidNamespace())
  for (const name of await readdir(within).catch((): string[] => [])) {
    const [matchedName, space, pid, birth] = NAME.exec(name) ?? []
    if (matchedName === undefined) continue
    const folder = join(within, name)
    if (space === ownNamespace && isAlive(Number(pid)) && shortHash(await processBirth(Number(pid))) === birth) continue
    const age = Date.now() - ((await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now())
    if (space !== ownNamespace && age < FOREIGN_LIFE_MS) continue
    try {
      await stopLeftover(join(folder, CLUSTER))
      await rm(folder, { recursive: true, force: true })
    } catch {
      // A folder that is in use elsewhere, or whose server is still ending, is tried again by the next sweep.
    }
  }
}

/** A file older than this was left by a killed process, since no work takes so long. */
const LEFTOVER_AGE_MS = 2 * 3_600_000

/** A draft is a file being written, with its size so far. */
export interface Draft {
  file: string
  readonly bytes: number
  write(chunk: Uint8Array): Promise<void>
  /** Closes the file. @returns the file's SHA-256, in hex */
  close(): Promise<string>
  /** Closes the file, if need be, and deletes it. */
  remove(): Promise<void>
}

/**
 * Makes a folder for files that are useless after a crash, and removes old files that other processes left there.
 * @returns a function that creates a draft in the folder
 */
export async function openTempFolder(folder: string): Promise<() => Promise<Draft>> {
  await makeFolder(folder)
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > LEFTOVER_AGE_MS)
      await rm(join(folder, name), { recursive: true, force: true })
  }
  return async () => {
    const file = join(folder, randomUUID())
    const handle = await open(file, 'wx', 0o600)
    const hash = createHash('sha256')
    let bytes = 0
    let isOpen = true
    const end = async () => {
      if (!isOpen) return
      isOpen = false
      await handle.close()
    }
    return {
      file,
      get bytes() {
        return bytes
      },
      async write(chunk) {
        for (let written = 0; written < chunk.byteLength; )
          written += (await handle.write(chunk, written, chunk.byteLength - written)).bytesWritten
        hash.update(chunk)
        bytes += chunk.byteLength
      },
      async close() {
        await end()
        return hash.digest('hex')
      },
      async remove() {
        await end()
        await rm(file, { force: true })
      },
    }
  }
}
