import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningSite } from '../../tests/running-site.ts'

/** Resident memory of the serving process, in bytes. */
export const memoryOf = (site: RunningSite): Promise<number> => residentBytes(site.process.pid!)

/** Resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024
}

/** SIGKILL to every process of the site and of its database at once: a power cut, as far as processes go. */
export async function killEverything({ process: { pid }, dataDir }: RunningSite): Promise<void> {
  const postmaster = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
  const family = await withDescendants([pid!, Number(postmaster.split('\n')[0])])
  for (const member of family) {
    try {
      process.kill(member, 'SIGKILL')
    } catch {
      // The process has ended by itself meanwhile.
    }
  }
  for (const end = Date.now() + 5_000; Date.now() < end; await sleep(20))
    if ((await withDescendants(family)).length === 0) return
  throw new Error('Processes of the site survived SIGKILL')
}

/** These processes and all that they started, those that are alive. */
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
