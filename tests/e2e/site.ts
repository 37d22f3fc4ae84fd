import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import pg from 'pg'
import { migratedDataDir } from '../support/persistence/migrated-data-folder.ts'
import { type RunningSite, startSite } from '../support/site/running-site.ts'

export { expect }

/** A real site of this worker's own: real files, real PostgreSQL, in a folder that goes with it. */
export class Site {
  readonly url: string
  readonly dataDir: string
  readonly stop: () => Promise<void>

  private constructor({ url, dataDir, stop }: Pick<RunningSite, 'url' | 'dataDir' | 'stop'>) {
    this.url = url
    this.dataDir = dataDir
    this.stop = stop
  }

  /**
   * Its first start, with a database that has been migrated before: tests/support/persistence/migrated-data-folder.ts.
   * @param env settings beside the port and the data folder; the build must be there
   * @param folder of the project, or of a copy of it
   */
  static async start({ SITE_CLOCK, ...env }: Record<string, string> = {}, folder?: string): Promise<Site> {
    const dataDir = await migratedDataDir()
    const settings: Record<string, string> = { DATA_DIR: dataDir, ...env }
    if (SITE_CLOCK !== undefined) settings.SITE_CLOCK = await setClock(dataDir, SITE_CLOCK)
    return new Site(await startSite(settings, folder))
  }

  /** A site that a test starts and stops itself. */
  static of(running: Pick<RunningSite, 'url' | 'dataDir' | 'stop'>): Site {
    return new Site(running)
  }

  /** Moves the clock of a site that was started with one; from there it runs on. @param moment ISO, with its zone */
  async at(moment: string): Promise<void> {
    await setClock(this.dataDir, moment)
  }

  /** Rows of the site's own database. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const host = join(this.dataDir, 'postgres.sockets')
    const client = new pg.Client({ host, port: 5432, user: 'certamen', database: 'certamen' })
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Messages to an address in the outbox, the newest last, their lines put together again. */
  async mails(email: string, kind = ''): Promise<string[]> {
    const folder = join(this.dataDir, 'outbox')
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.includes(`-${kind}`)).sort()
    const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    return all
      .filter((eml) => eml.includes(`To: ${email}`))
      .map((eml) => eml.replace(/=\r?\n/g, '').replace(/=3D/g, '='))
  }

  /** The newest message to an address in the outbox, once there is one. */
  async mail(email: string, kind?: string): Promise<string> {
    await expect.poll(async () => (await this.mails(email, kind)).length, { timeout: 15_000 }).toBeGreaterThan(0)
    return (await this.mails(email, kind)).at(-1)!
  }

  /** The nth code that an address asked for, once it is there: a receipt may come between two codes. */
  async code(email: string, nth = 1): Promise<string> {
    await expect
      .poll(async () => (await this.mails(email, 'codigo')).length, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(nth)
    return /(\d{6}) es tu/.exec((await this.mails(email, 'codigo'))[nth - 1]!)![1]!
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
}

/** @returns the file that SITE_CLOCK names */
async function setClock(dataDir: string, moment: string): Promise<string> {
  const file = join(dataDir, 'reloj')
  await writeFile(`${file}.nuevo`, moment)
  await rename(`${file}.nuevo`, file)
  return file
}

interface Fixtures {
  /** Console errors that a test brings about on purpose; any other on its page fails it. */
  expectedErrors: RegExp[]
}

/** A fixture: a site that the tests of a worker share. @param env settings beside the port and the data folder */
export const siteWith = (env: Record<string, string> = {}) => {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
  const fixture = async ({}: object, use: (site: Site) => Promise<void>) => {
    const site = await Site.start(env)
    await use(site)
    await site.stop()
  }
  return [fixture, { scope: 'worker' as const, timeout: 60_000 }] satisfies [unknown, unknown]
}

interface Sites {
  site: Site
  /** In the days of the vote. */
  votacion: Site
  /** One that is only looked at, at the hour to which each test moves it first. */
  ensayo: Site
}

// All of them stand here: what a file adds of its own starts another worker, with sites and a browser of its own.
export const test = base.extend<Fixtures, Sites>({
  site: siteWith(),
  votacion: siteWith({ SITE_CLOCK: '2025-09-20T12:00-06:00' }),
  ensayo: siteWith({ SITE_CLOCK: '2025-09-20T12:00-06:00' }),
  baseURL: ({ site }, use) => use(site.url),
  // Each test gets a list of its own, so that what one adds to it is not expected of the next.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
  expectedErrors: [({}, use) => use([]), { option: true }],
  // Only what asks for a page is watched: a test of requests alone opens none.
  page: async ({ page, expectedErrors }, use) => {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
    })
    await use(page)
    expect(errors.filter((text) => !expectedErrors.some((expected) => expected.test(text)))).toEqual([])
  },
})
