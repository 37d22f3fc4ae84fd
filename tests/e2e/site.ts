import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import pg from 'pg'

export { expect }

/** A real site of this worker's own: real files, real PostgreSQL, in a folder that goes with it. */
export class Site {
  readonly url: string
  readonly dataDir: string
  #process: ChildProcess

  private constructor(url: string, dataDir: string, child: ChildProcess) {
    this.url = url
    this.dataDir = dataDir
    this.#process = child
  }

  /** @param env settings beside the port and the data folder; the build must be there */
  static async start(env: Record<string, string> = {}): Promise<Site> {
    const dataDir = await mkdtemp(join(tmpdir(), 'certamen-e2e-'))
    const port = await freePort()
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LOG_LEVEL: 'error', ...env, PORT: String(port), DATA_DIR: dataDir },
    })
    const url = `http://127.0.0.1:${port}`
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    while (!said.includes('El sitio está en')) {
      await new Promise((resolve) => setTimeout(resolve, 30))
      if (child.exitCode !== null) throw new Error(`The site did not start:\n${said}`)
    }
    return new Site(url, dataDir, child)
  }

  /** Rows of the site's own database. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({
      host: join(this.dataDir, 'postgres.sockets'),
      port: 5432,
      user: 'certamen',
      database: 'certamen',
    })
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Paths of the stored objects of a bucket. */
  async objects(bucket: string): Promise<string[]> {
    const folder = join(this.dataDir, 'objects', bucket)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort()
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGTERM')
      await once(this.#process, 'exit')
    }
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

interface Fixtures {
  /** Console errors that a test brings about on purpose; any other fails it. */
  expectedErrors: RegExp[]
  quietConsole: undefined
}

export const test = base.extend<Fixtures, { site: Site }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
    async ({}, use) => {
      const site = await Site.start()
      await use(site)
      await site.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: ({ site }, use) => use(site.url),
  expectedErrors: [[], { option: true }],
  quietConsole: [
    async ({ page, expectedErrors }, use) => {
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
      })
      await use(undefined)
      expect(errors.filter((text) => !expectedErrors.some((expected) => expected.test(text)))).toEqual([])
    },
    { auto: true },
  ],
})
