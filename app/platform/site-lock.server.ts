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
  const file = join(dataDir, 'sitio.pid')
  const mine = `${file}.${process.pid}`
  const holder: Holder = { pid: process.pid, birth: await processBirth(process.pid), url }
  await writeFile(mine, JSON.stringify(holder), { mode: 0o600 })
  try {
    for (const end = Date.now() + GRACE_MS; ; await sleep(100)) {
      try {
        await link(mine, file)
        return () => rm(file, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const other = await readHolder(file)
      if (!other) continue
      if (!(await holds(other))) await rm(file, { force: true })
      else if (Date.now() > end)
        throw new StartError(
          `La carpeta de datos ${dataDir} la usa otro sitio en marcha (${other.url}, proceso ${other.pid}). Detén ese sitio o elige otra carpeta con DATA_DIR.`,
        )
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
