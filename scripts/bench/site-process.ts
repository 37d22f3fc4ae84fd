import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const START_PATIENCE_MS = 180_000

/** The site as `npm start` runs it, in processes of its own. */
export interface SiteProcess {
  url: string
  /** Resident memory of the serving process, in bytes. */
  memory(): Promise<number>
  /** SIGTERM, as Ctrl-C would; resolves when everything has ended. */
  stop(): Promise<void>
  /** SIGKILL to every process of the site and of its database at once: a power cut, as far as processes go. */
  kill(): Promise<void>
}

export async function startSite(root: string, dataDir: string, port: number): Promise<SiteProcess> {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
    cwd: root,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      PUBLIC_URL: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000)
    })
  const url = `http://127.0.0.1:${port}`
  for (const end = Date.now() + START_PATIENCE_MS; ; await sleep(50)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`The site did not start: ${said}`)
    const ready = await fetch(`${url}/readyz`).catch(() => undefined)
    if (ready?.ok) break
  }

  const family = async () => {
    const postmaster = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
    const heads = [child.pid!, Number(postmaster.split('\n')[0])].filter((pid) => pid > 0)
    return withDescendants(heads)
  }
  return {
    url,
    async memory() {
      const pids = await withDescendants([child.pid!])
      const sizes = await Promise.all(
        pids.map(async (pid) => {
          const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
          if (!words.includes('serve.ts')) return 0
          const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
          return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024
        }),
      )
      return Math.max(...sizes)
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
    async kill() {
      const pids = await family()
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // Gone by itself meanwhile.
        }
      }
      for (const end = Date.now() + 5_000; Date.now() < end; await sleep(20))
        if ((await withDescendants(pids)).length === 0) return
      throw new Error('Processes of the site survived SIGKILL')
    },
  }
}

/** These processes and all that they started, as far as they are alive. */
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
