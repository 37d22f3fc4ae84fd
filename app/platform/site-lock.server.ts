import { link, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, processBirth } from './processes.server.ts'
import { StartError } from './start-error.server.ts'

interface Holder {
  pid: number
  birth: string | undefined
  url: string
}

/** How long a site that is just going away (its terminal was killed, say) may take. */
const GRACE_MS = 4_000

/**
 * Claims a data folder for this process: two sites never share one.
 * A claim left behind by a killed process is taken over.
 * @returns gives the claim back
 * @throws StartError when another running site holds it
 */
export async function lockDataDir(dataDir: string, url: string): Promise<() => Promise<void>> {
  const claimed = await claim(join(dataDir, 'sitio.pid'), url, GRACE_MS)
  if (typeof claimed === 'function') return claimed
  throw new StartError(
    `La carpeta de datos ${dataDir} la usa otro sitio en marcha (${claimed.url}, proceso ${claimed.pid}). Detén ese sitio o elige otra carpeta con DATA_DIR.`,
  )
}

/** @returns the site that runs over a data folder: its process, how visitors reach it; undefined when none does */
export async function runningSite(dataDir: string): Promise<{ pid: number; url: string } | undefined> {
  const text = await readFile(join(dataDir, 'sitio.pid'), 'utf8').catch(() => '')
  try {
    const holder = JSON.parse(text) as Holder
    return (await holds(holder)) ? { pid: holder.pid, url: holder.url } : undefined
  } catch {
    return undefined
  }
}

/**
 * Claims a file for this process, waiting for whoever holds it.
 * @returns gives the claim back; or who still holds it after the patience is over
 */
export async function claim(file: string, url: string, patienceMs: number): Promise<(() => Promise<void>) | Holder> {
  const mine = `${file}.${process.pid}`
  const holder: Holder = { pid: process.pid, birth: await processBirth(process.pid), url }
  await writeFile(mine, JSON.stringify(holder), { mode: 0o600 })
  try {
    for (const end = Date.now() + patienceMs; ; await sleep(100)) {
      try {
        await link(mine, file)
        return () => rm(file, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const other = await readHolder(file)
      if (!other) continue
      if (!(await holds(other))) await rm(file, { force: true })
      else if (Date.now() > end) return other
    }
  } finally {
    await unlink(mine).catch(() => {})
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder
  } catch {
    // Gone meanwhile, or cut short by a full disk: nobody's.
    await rm(file, { force: true })
    return undefined
  }
}

const holds = async (holder: Holder) =>
  holder.pid !== process.pid && isAlive(holder.pid) && (await processBirth(holder.pid)) === holder.birth
