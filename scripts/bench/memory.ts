import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeVoters } from '#tests/faults/consistency.ts'
import { startCrowd } from '#tests/faults/crowd.ts'
import { type RunningSite, startSite } from '#tests/support/site/running-site.ts'
import { listSiteProcesses } from '#tests/support/site/site-processes.ts'
import { LOW_MEMORY_FLAGS } from '../supervisor/site-process-handle.ts'
import type { Figure } from './figure.ts'

const MB = 1_000_000
const CONNECTION_COUNT = 200
const PAUSE_BETWEEN_PAGES_MS = 100
const MEASUREMENT_MS = 90_000
const SCREENS = ['/', '/candidatas', '/misspopularidad', '/registro', '/nuestra-historia', '/medios']

/** Measures the peak memory of site, database and picture generation in MEASUREMENT_MS after a start without generated pictures. */
export async function measureMemory(say: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-memoria-'))
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-memoria-datos-'))
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTION_COUNT })
  let site: RunningSite | undefined
  try {
    // The copy is the last commit with this folder's build and fonts, and without generated pictures.
    execFileSync('sh', ['-c', `git archive HEAD | tar -x -C "${folder}"`])
    await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    await cp('build', join(folder, 'build'), { recursive: true })
    await mkdir(join(folder, '.cache'))
    await cp('.cache/fonts', join(folder, '.cache/fonts'), { recursive: true })
    // The flags that a small server gets are set here, since this machine has more memory.
    const NODE_OPTIONS = LOW_MEMORY_FLAGS.join(' ')
    const env = { DATA_DIR: dataDir, SITE_CLOCK: '2025-09-20T12:00-06:00', TRUSTED_PROXIES: '1', NODE_OPTIONS }
    site = await startSite(env, folder)
    const { url } = site
    const endsAtMs = Date.now() + MEASUREMENT_MS
    const fetchPages = async () => {
      while (Date.now() < endsAtMs) {
        const path = SCREENS[Math.floor(Math.random() * SCREENS.length)]!
        await new Promise((resolve) => {
          get(url + path, { agent }, (response) => response.resume().once('close', resolve)).once('error', resolve)
        })
        await sleep(PAUSE_BETWEEN_PAGES_MS)
      }
    }
    const crowd = startCrowd({
      url,
      voterCookies: await makeVoters(dataDir, 10_000),
      votersAtOnce: 10,
      registrantsAtOnce: 3,
    })
    const visitors = Array.from({ length: CONNECTION_COUNT }, fetchPages)
    let peak: MemoryUse = { totalBytes: 0, bytesByProgram: new Map() }
    while (Date.now() < endsAtMs) {
      const current = await readMemoryUse(site)
      if (current.totalBytes > peak.totalBytes) peak = current
      await sleep(250)
    }
    await Promise.all(visitors)
    await crowd.finish()
    for (const [program, bytes] of [...peak.bytesByProgram].sort((a, b) => b[1] - a[1]))
      say(`  ${Math.round(bytes / MB)} MB ${program}`)
    return [
      {
        name: `sitio, base e imágenes con ${CONNECTION_COUNT} conexiones: memoria`,
        value: peak.totalBytes / MB,
        unit: 'MB',
        target: { atMost: 700 },
      },
    ]
  } finally {
    agent.destroy()
    await site?.stop().catch(() => {})
    for (const path of [folder, dataDir]) await rm(path, { recursive: true, force: true })
  }
}

interface MemoryUse {
  /** Memory that several processes share counts once. */
  totalBytes: number
  bytesByProgram: Map<string, number>
}

async function readMemoryUse(site: RunningSite): Promise<MemoryUse> {
  const bytesByProgram = new Map<string, number>()
  for (const pid of await listSiteProcesses(site)) {
    const readProcFile = (fileName: string) => readFile(`/proc/${pid}/${fileName}`, 'utf8').catch(() => '')
    const bytes = Number(/^Pss:\s+(\d+) kB/m.exec(await readProcFile('smaps_rollup'))?.[1] ?? 0) * 1_024
    const commandLine = (await readProcFile('cmdline')).split('\0')
    const program = /postgres/.test(commandLine[0] ?? '')
      ? 'postgres'
      : (commandLine.find((argument) => /\.(ts|js|mjs)$/.test(argument)) ?? commandLine[0] ?? '')
    bytesByProgram.set(program, (bytesByProgram.get(program) ?? 0) + bytes)
  }
  return { totalBytes: bytesByProgram.values().reduce((sum, bytes) => sum + bytes, 0), bytesByProgram }
}
