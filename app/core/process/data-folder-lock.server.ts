import { randomUUID } from 'node:crypto'
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './durable-files.server.ts'
import { identityOf } from './folder-identity.server.ts'
import { isSocketAnswering, listenInFolder } from './liveness-socket.server.ts'
import { currentPidNamespace, isAlive, processBirth } from './pid-info.server.ts'
import { StartError } from './start-error.server.ts'

interface Holder {
  pid: number
  birth: string | undefined
  url: string
  /** The process id is valid in this process id namespace. */
  space?: string | undefined
  /** The identity of the claimed folder: a copied folder holds a copied claim, which does not count. */
  folder?: string
  /** The holder's liveness socket lies beside the claim. */
  socket?: string | undefined
}

/** A site that is just ending (its terminal was killed, say) may take this many milliseconds to release its claim. */
const GRACE_MS = 4_000

/**
 * Claims a data folder for this process: two sites never share one, not even from two containers of one machine. A claim left
 * behind by a killed process, or copied along with the folder, is taken over.
 * @returns a function that releases the claim
 * @throws StartError when another running site holds it
 */
export async function lockDataDir(dataDir: string, url: string): Promise<() => Promise<void>> {
  const livenessSocket = await listenInFolder(dataDir)
  const about = { space: await currentPidNamespace(), folder: await identityOf(dataDir), socket: livenessSocket?.name }
  const claimResult = await claim(join(dataDir, 'sitio.pid'), url, GRACE_MS, about)
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

/** Finds the site that runs over a data folder. @returns its process id and public address; undefined when no site runs */
export async function runningSite(dataDir: string): Promise<{ pid: number; url: string } | undefined> {
  const holder = toHolder(await readFile(join(dataDir, 'sitio.pid'), 'utf8').catch(() => ''))
  return holder && (await isHolderAlive(holder, dataDir)) ? { pid: holder.pid, url: holder.url } : undefined
}

/**
 * Claims a file for this process, and waits while another process holds it.
 * @param about more facts about the new holder
 * @returns a function that releases the claim; or the present holder, after `patienceMs`
 */
export async function claim(
  file: string,
  url: string,
  patienceMs: number,
  about: Pick<Holder, 'space' | 'folder' | 'socket'> = {},
): Promise<(() => Promise<void>) | Holder> {
  const draftClaim = `${file}.${randomUUID()}`
  const holder: Holder = { pid: process.pid, birth: await processBirth(process.pid), url, ...about }
  const claimText = JSON.stringify(holder)
  await writeFile(draftClaim, claimText, { mode: 0o600 })
  try {
    for (const end = Date.now() + patienceMs; ; await sleep(100)) {
      try {
        await link(draftClaim, file)
        return () => removeClaim(file, claimText)
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
      const existingText = await readFile(file, 'utf8').catch(ignoreMissing)
      if (existingText === undefined) continue
      const otherHolder = toHolder(existingText)
      if (!otherHolder || !(await isHolderAlive(otherHolder, dirname(file)))) {
        await removeClaim(file, existingText)
        if (otherHolder?.socket) await unlink(join(dirname(file), otherHolder.socket)).catch(() => {})
      } else if (Date.now() > end) return otherHolder
    }
  } finally {
    await unlink(draftClaim).catch(() => {})
  }
}

/** Removes a claim if it still has the text that was read: another process may have replaced it meanwhile. */
async function removeClaim(file: string, claimText: string): Promise<void> {
  // Only one process can rename the file; between a read and an unlink, another one could claim it (TOCTOU).
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

/** Parses a claim. @returns undefined for a claim that a full disk cut short */
function toHolder(claimText: string): Holder | undefined {
  try {
    return JSON.parse(claimText) as Holder
  } catch {
    return undefined
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error
}

/** Returns whether the holder of a claim in a folder is alive. */
async function isHolderAlive(holder: Holder, folder: string): Promise<boolean> {
  const { pid, birth, space, socket } = holder
  if (holder.folder !== undefined && holder.folder !== (await identityOf(folder))) return false
  if (socket !== undefined && (await isSocketAnswering(folder, socket))) return true
  // A process id of another namespace says nothing here, so the socket alone decides.
  if (space !== undefined && space !== (await currentPidNamespace())) return false
  return pid !== process.pid && isAlive(pid) && (await processBirth(pid)) === birth
}
