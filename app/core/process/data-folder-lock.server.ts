import { randomUUID } from 'node:crypto'
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './durable-files.server.ts'
import { folderIdentityOf } from './folder-identity.server.ts'
import { isSocketAnswering, listenInFolder } from './liveness-socket.server.ts'
import { currentPidNamespace, isAlive, processStartTime } from './pid-info.server.ts'
import { StartError } from './start-error.server.ts'

/** The holder of a claim, as its file stores it. */
interface Holder {
  pid: number
  /** Start time of the process, by which it differs from a later process with the same id; undefined without /proc. */
  birth: string | undefined
  /** Public URL of the site that holds a data folder. Other claims have another text, or none. */
  url: string
  /** Process id namespace in which `pid` is valid; undefined without /proc. */
  space?: string | undefined
  /** Identity of the claimed folder, by which a claim that was copied along with the folder is recognised. */
  folder?: string
  /** File name of the holder's liveness socket, beside the claim. */
  socket?: string | undefined
}

/** A start waits this long for a site that is ending to release its claim. */
const MAX_RELEASE_MS = 4_000

/**
 * Claims a data folder for this process, so that two sites of one machine do not share a folder. A site in another container is
 * seen only if the folder can have a socket. A claim that a killed process left behind, or that was copied along with the folder,
 * does not count.
 * @returns a function that releases the claim
 * @throws StartError if another running site holds the folder
 */
export async function lockDataDir(dataDir: string, url: string): Promise<() => Promise<void>> {
  const livenessSocket = await listenInFolder(dataDir)
  const holderFacts = {
    space: await currentPidNamespace(),
    folder: await folderIdentityOf(dataDir),
    socket: livenessSocket?.name,
  }
  const claimResult = await claimFile(join(dataDir, 'sitio.pid'), url, MAX_RELEASE_MS, holderFacts)
  if (typeof claimResult === 'function')
    return async () => {
      await claimResult()
      await livenessSocket?.close()
    }
  await livenessSocket?.close()
  throw new StartError(
    `La carpeta de datos ${dataDir} la usa otro sitio en marcha (${claimResult.url}, proceso ${claimResult.pid}). Detén ese sitio o elige otra carpeta con DATA_DIR.`,
  )
}

/** Finds the site that runs over a data folder. @returns its process id and public URL; undefined if no site runs */
export async function runningSite(dataDir: string): Promise<{ pid: number; url: string } | undefined> {
  const holder = parseClaim(await readFile(join(dataDir, 'sitio.pid'), 'utf8').catch(() => ''))
  return holder && (await isHolderAlive(holder, dataDir)) ? { pid: holder.pid, url: holder.url } : undefined
}

/**
 * Claims a file for this process, and waits while another process holds it.
 * @returns a function that releases the claim; or the present holder, if another process still holds the file after `maxWaitMs`
 */
export async function claimFile(
  file: string,
  url: string,
  maxWaitMs: number,
  holderFacts: Pick<Holder, 'space' | 'folder' | 'socket'> = {},
): Promise<(() => Promise<void>) | Holder> {
  const tempFile = `${file}.${randomUUID()}`
  const holder: Holder = { pid: process.pid, birth: await processStartTime(process.pid), url, ...holderFacts }
  const claimText = JSON.stringify(holder)
  await writeFile(tempFile, claimText, { mode: 0o600 })
  try {
    for (const deadlineMs = Date.now() + maxWaitMs; ; await sleep(100)) {
      try {
        await link(tempFile, file)
        return () => removeClaim(file, claimText)
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
      const existingText = await readFile(file, 'utf8').catch(ignoreMissing)
      if (existingText === undefined) continue
      const otherHolder = parseClaim(existingText)
      if (!otherHolder || !(await isHolderAlive(otherHolder, dirname(file)))) {
        await removeClaim(file, existingText)
        if (otherHolder?.socket) await unlink(join(dirname(file), otherHolder.socket)).catch(() => {})
      } else if (Date.now() > deadlineMs) return otherHolder
    }
  } finally {
    await unlink(tempFile).catch(() => {})
  }
}

/** Removes a claim, unless another process has replaced it since its text was read. */
async function removeClaim(file: string, claimText: string): Promise<void> {
  // Only one process can rename the file. Between a read and an unlink, another process could claim it (TOCTOU).
  const movedClaim = `${file}.${randomUUID()}`
  if ((await rename(file, movedClaim).then(() => true, ignoreMissing)) === undefined) return
  try {
    if ((await readFile(movedClaim, 'utf8')) !== claimText)
      await link(movedClaim, file).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error
      })
  } finally {
    await unlink(movedClaim)
  }
}

/** Parses a claim. @returns undefined for an incomplete claim, which a power cut may leave */
function parseClaim(claimText: string): Holder | undefined {
  try {
    return JSON.parse(claimText) as Holder
  } catch {
    return undefined
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error
}

async function isHolderAlive(holder: Holder, folder: string): Promise<boolean> {
  const { pid, birth, space, socket } = holder
  if (holder.folder !== undefined && holder.folder !== (await folderIdentityOf(folder))) return false
  if (socket !== undefined && (await isSocketAnswering(folder, socket))) return true
  // A process id of another namespace means nothing here, so only the socket counts.
  if (space !== undefined && space !== (await currentPidNamespace())) return false
  // Ids repeat in restarted containers, so a claim with this process's own id is a dead process's.
  return pid !== process.pid && isAlive(pid) && (await processStartTime(pid)) === birth
}
