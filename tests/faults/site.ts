import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type RunningSite, startSite } from '../support/site/running-site.ts'
import { killEverything } from '../support/site/site-processes.ts'

/** A time at which both forms and the vote are open. */
export const CLOCK = '2025-09-20T12:00-06:00'

export interface FaultSite {
  dataDir: string
  url: string
  running: RunningSite
  /** Starts the site again, at the same address and with the same data. @param folder of the version to start */
  start(envChanges?: Record<string, string>, folder?: string): Promise<void>
  stop(): Promise<void>
}

/** Runs `work` with a site in the days of the vote, and removes its data folder afterwards. @param initialFolder of its version */
export async function withFaultSite(
  env: Record<string, string>,
  work: (site: FaultSite) => Promise<void>,
  initialFolder = '.',
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-fallas-'))
  const port = String(await freePort())
  const settings = {
    SITE_CLOCK: CLOCK,
    DATA_DIR: dataDir,
    PORT: port,
    TRUSTED_PROXIES: '1',
    LOG_LEVEL: 'silent',
    ...env,
  }
  const site: FaultSite = {
    dataDir,
    url: `http://127.0.0.1:${port}`,
    running: await startSite(settings, initialFolder),
    async start(envChanges = {}, folder = initialFolder) {
      site.running = await startSite({ ...settings, ...envChanges }, folder)
    },
    stop: () => site.running.end(),
  }
  try {
    await work(site)
  } finally {
    await killEverything(site.running).catch(() => {})
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Requests a URL. `ms` is the time until the whole response has arrived. */
export async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; text: string; ms: number }> {
  const startMs = performance.now()
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000), ...init })
  return { status: response.status, text: await response.text(), ms: performance.now() - startMs }
}
