import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSite } from './running-site.ts'

/**
 * Returns the resident memory of the site's processes without its database's, in bytes. Shared pages count once for each process.
 */
export async function memoryOf({ process: { pid } }: RunningSite): Promise<number> {
  const own = (await withDescendants([pid!])).map((one) => residentBytes(one).catch(() => 0))
  return (await Promise.all(own)).reduce((sum, one) => sum + one, 0)
}

export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024
}

/** These parts of a running site lead to its processes. */
type Site = Pick<RunningSite, 'dataDir'> & { process: { pid?: number | undefined } }

/** Lists every living process of the site and of its database. */
export const listSiteProcesses = async (site: Site): Promise<number[]> =>
  withDescendants([site.process.pid!, await postmasterOf(site)])

/** Sends a signal to each process that is still there. */
export function sendSignal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/** Lists every living process of the database that a site runs itself. */
export const listDatabaseProcesses = async (site: Site): Promise<number[]> =>
  withDescendants([await postmasterOf(site)])

export const postmasterOf = async ({ dataDir }: Site): Promise<number> =>
  Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0])

/** Sends SIGKILL to every process of the site and of its database at once: a power cut, as far as processes go. */
export async function killEverything(site: Site): Promise<void> {
  let alive = await listSiteProcesses(site)
  // A process that waits for the disk dies only when the disk has answered, which a busy machine delays by seconds.
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
    sendSignal(alive, 'SIGKILL')
    // A backend forked at that moment has lost its parent, and would keep the folder from the next database.
    alive = [...(await listProcessesIn(join(site.dataDir, 'postgres'))), ...(await withDescendants(alive))]
    if (alive.length === 0) return
  }
  const states = alive.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
  throw new Error(`Processes of the site survived SIGKILL: ${(await Promise.all(states)).join(' | ')}`)
}

/** Lists the processes whose working directory is the folder. */
export async function listProcessesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, at) => folders[at] === folder).map(Number)
}

/** Lists the given processes and all their descendants that are alive. */
async function withDescendants(heads: readonly number[]): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const line = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const [state, parent] = line.slice(line.lastIndexOf(')') + 2).split(' ')
    if (state && state !== 'Z') parents.set(Number(name), Number(parent))
  }
  const found = new Set(heads.filter((pid) => parents.has(pid)))
  // A parent may stand after its child in the list.
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}
