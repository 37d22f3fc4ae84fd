import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { stopLeftover } from '#app/core/postgres/embedded.server.ts'
import { makeFolder } from '#app/core/process/durable-files.server.ts'
import { isAlive, numberSpace, processBirth } from '#app/core/process/pid-info.server.ts'

// A temporary folder's name says whose it is, so that whoever comes next can tell what a killed process has left: the
// container in which the process's number means anything, that number, and when the process was born.
const NAME = /^\.certamen-(?:([0-9a-f]{6})-(\d+)-([0-9a-f]{6})-)?\w{6}$/
/** What belongs to a process that cannot be seen from here is left alone for so long. */
const STRANGE_MS = 24 * 3_600_000
/** Where a server of its own lies in one. */
export const CLUSTER = 'postgres'

const short = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 6)

const working = new Set<string>()
const swept = new Set<string>()

// However this process ends, short of being killed: what was temporary goes with it. Servers in it end before.
process.on('exit', () => {
  for (const folder of working) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/**
 * Runs work with a folder of its own within `within`, which is gone afterwards, also where the process is told to end; what
 * killed ones left there is swept first, once a process.
 */
export async function withTemporal<Done>(within: string, work: (folder: string) => Promise<Done>): Promise<Done> {
  await makeFolder(within)
  if (!swept.has(resolve(within))) {
    swept.add(resolve(within))
    await sweepTempFolders(within)
  }
  const mine = [short(await numberSpace()), process.pid, short(await processBirth(process.pid))].join('-')
  const folder = await mkdtemp(join(within, `.certamen-${mine}-`))
  working.add(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    working.delete(folder)
  }
}

/** Ends the servers of rehearsals that killed processes left behind, and removes their folders. */
export async function sweepTempFolders(within: string): Promise<void> {
  const here = short(await numberSpace())
  for (const name of await readdir(within).catch((): string[] => [])) {
    const [whole, space, pid, birth] = NAME.exec(name) ?? []
    if (whole === undefined) continue
    const folder = join(within, name)
    if (space === here && isAlive(Number(pid)) && short(await processBirth(Number(pid))) === birth) continue
    const age = Date.now() - ((await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now())
    if (space !== here && age < STRANGE_MS) continue
    try {
      await stopLeftover(join(folder, CLUSTER))
      await rm(folder, { recursive: true, force: true })
    } catch {
      // Somebody else's, or one that still ends: the next one comes by again.
    }
  }
}

/** Nothing takes so long: what is older was left by a process that was killed. */
const STRAY_MS = 2 * 3_600_000

/** A file that is being written, and what is known of it so far. */
export interface Draft {
  file: string
  readonly bytes: number
  write(chunk: Uint8Array): Promise<void>
  /** @returns its SHA-256, in hex */
  close(): Promise<string>
  /** Closes it, if need be, and takes it away. */
  remove(): Promise<void>
}

/** Makes a folder for files of which nobody needs anything after a crash, and removes what others left there. */
export async function openTempFolder(folder: string): Promise<() => Promise<Draft>> {
  await makeFolder(folder)
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > STRAY_MS) await rm(join(folder, name), { recursive: true, force: true })
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
