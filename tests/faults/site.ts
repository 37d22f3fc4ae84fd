import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type RunningSite, startSite } from '../support/site/running-site.ts'
import { killEverything } from '../support/site/site-processes.ts'

/** An hour at which both forms and the vote are open. */
export const CLOCK = '2025-09-20T12:00-06:00'

export interface FaultSite {
  dataDir: string
  url: string
  running: RunningSite
  /** Starts the site again, at the same address and with the same data; `folder` may hold another version. */
  start(change?: Record<string, string>, folder?: string): Promise<void>
  stop(): Promise<void>
}

/** Runs `work` with a site in the days of the vote. Its data folder is removed afterwards. */
export async function withFaultSite(
  env: Record<string, string>,
  work: (site: FaultSite) => Promise<void>,
  from = '.',
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
    running: await startSite(settings, from),
    async start(change = {}, folder = from) {
      site.running = await startSite({ ...settings, ...change }, folder)
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

export async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; text: string; ms: number }> {
  const began = performance.now()
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000), ...init })
  return { status: answer.status, text: await answer.text(), ms: performance.now() - began }
}
