import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSite } from './running-site.ts'

/**
 * Returns the resident memory in bytes of the site's processes, those of its embedded database included. Pages that processes share
 * count once for each of them.
 */
export async function memoryOf({ process: { pid } }: RunningSite): Promise<number> {
  const sizes = (await withDescendants([pid!])).map((descendant) => residentBytes(descendant).catch(() => 0))
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0)
}

export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024
}

/** The fields of a running site by which its processes are found. */
type Site = Pick<RunningSite, 'dataDir'> & { process: { pid?: number | undefined } }

/** Lists every living process of the site and of its database. */
export const listSiteProcesses = async (site: Site): Promise<number[]> =>
  withDescendants([site.process.pid!, await postmasterOf(site)])

/** Sends a signal to the processes among `pids` that still exist. */
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

/** Sends SIGKILL to every process of the site and of its database at once, like a power cut. */
export async function killEverything(site: Site): Promise<void> {
  let alive = await listSiteProcesses(site)
  // A process that waits for the disk dies only when the disk has answered, which a busy machine delays by seconds.
  for (const deadlineMs = Date.now() + 30_000; Date.now() < deadlineMs; await sleep(20)) {
    sendSignal(alive, 'SIGKILL')
    // A backend that was forked at that moment has lost its parent, and would keep the next database from using the folder.
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
  return pids.filter((_, index) => folders[index] === folder).map(Number)
}

/** Lists the given processes and all their descendants that are alive. */
async function withDescendants(roots: readonly number[]): Promise<number[]> {
  const parentByPid = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const line = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const [state, parent] = line.slice(line.lastIndexOf(')') + 2).split(' ')
    if (state && state !== 'Z') parentByPid.set(Number(name), Number(parent))
  }
  const descendants = new Set(roots.filter((pid) => parentByPid.has(pid)))
  // A parent may come after its child in the list.
  for (let previousSize = -1; previousSize !== descendants.size; ) {
    previousSize = descendants.size
    for (const [pid, parent] of parentByPid) if (descendants.has(parent)) descendants.add(pid)
  }
  return [...descendants]
}
