import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import pg from 'pg'
import { migratedDataDir } from '../support/persistence/migrated-data-folder.ts'
import { type RunningSite, startSite } from '../support/site/running-site.ts'

export { expect }

/** Origins of the sites that a test has stopped. */
const stoppedOrigins = new Set<string>()

/** A real site for one worker: real files and a real PostgreSQL, in a folder that is removed with the site. */
export class Site {
  readonly url: string
  readonly dataDir: string
  readonly stop: () => Promise<void>

  private constructor({ url, dataDir, stop }: Pick<RunningSite, 'url' | 'dataDir' | 'stop'>) {
    this.url = url
    this.dataDir = dataDir
    this.stop = () => {
      stoppedOrigins.add(url)
      return stop()
    }
    stoppedOrigins.delete(url)
  }

  /**
   * Starts a site on the migrated database of tests/support/persistence/migrated-data-folder.ts. The build must be there.
   * @param env settings besides the port and the data folder
   * @param folder of the project, or of a copy
   */
  static async start({ SITE_CLOCK, ...env }: Record<string, string> = {}, folder?: string): Promise<Site> {
    const dataDir = await migratedDataDir()
    const settings: Record<string, string> = { DATA_DIR: dataDir, ...env }
    if (SITE_CLOCK !== undefined) settings.SITE_CLOCK = await setClock(dataDir, SITE_CLOCK)
    return new Site(await startSite(settings, folder))
  }

  /** Wraps a site that a test starts and stops itself. */
  static of(running: Pick<RunningSite, 'url' | 'dataDir' | 'stop'>): Site {
    return new Site(running)
  }

  /** Moves the clock of a site started with SITE_CLOCK; time then runs on. @param moment ISO 8601, with its zone */
  async at(moment: string): Promise<void> {
    await setClock(this.dataDir, moment)
  }

  /** Runs a query on the site's database. @returns its rows */
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

  /** Messages to an address in the outbox, the newest last, with their lines unfolded. */
  async mails(email: string, kind = ''): Promise<string[]> {
    const folder = join(this.dataDir, 'outbox')
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.includes(`-${kind}`)).sort()
    const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    return all
      .filter((eml) => eml.includes(`To: ${email}`))
      .map((eml) => eml.replace(/=\r?\n/g, '').replace(/=3D/g, '='))
  }

  /** Waits for a message to an address in the outbox. @returns the newest */
  async mail(email: string, kind?: string): Promise<string> {
    await expect.poll(async () => (await this.mails(email, kind)).length).toBeGreaterThan(0)
    return (await this.mails(email, kind)).at(-1)!
  }

  /** Waits for the nth code sent to an address. Receipts may come between two codes. */
  async code(email: string, nth = 1): Promise<string> {
    await expect.poll(async () => (await this.mails(email, 'codigo')).length).toBeGreaterThanOrEqual(nth)
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

/** Writes the site's clock. @returns the file that SITE_CLOCK names */
async function setClock(dataDir: string, moment: string): Promise<string> {
  const file = join(dataDir, 'reloj')
  await writeFile(`${file}.nuevo`, moment)
  await rename(`${file}.nuevo`, file)
  return file
}

interface Fixtures {
  /** Console errors that a test causes on purpose; any other error on its page fails the test. */
  expectedErrors: RegExp[]
}

/** A fixture: a site that the tests of a worker share. @param env settings besides the port and the data folder */
export const siteWith = (env: Record<string, string> = {}) => {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the wanted fixtures from this pattern
  const fixture = async ({}: object, use: (site: Site) => Promise<void>) => {
    const site = await Site.start(env)
    await use(site)
    await site.stop()
  }
  return [fixture, { scope: 'worker' as const, timeout: 300_000 }] satisfies [unknown, unknown]
}

/** Returns the origin of a URL, and an empty text for none. */
const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : '')

interface Sites {
  site: Site
  /** In the days of the vote. */
  votingSite: Site
  /** Read only; each test first moves the clock to its own hour. */
  trialSite: Site
}

// All sites stand here: a fixture that a file adds starts another worker, with new sites and a new browser.
export const test = base.extend<Fixtures, Sites>({
  site: siteWith(),
  votingSite: siteWith({ SITE_CLOCK: '2025-09-20T12:00-06:00' }),
  trialSite: siteWith({ SITE_CLOCK: '2025-09-20T12:00-06:00' }),
  baseURL: ({ site }, use) => use(site.url),
  // Each test gets a new list, so that an added error is not expected in the next test.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
  expectedErrors: [({}, use) => use([]), { option: true }],
  // Only a test that opens a page is watched.
  page: async ({ page, expectedErrors }, use) => {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      // A page that still loads pictures may outlive its site.
      if (stoppedOrigins.has(originOf(message.location().url))) return
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
    })
    await use(page)
    expect(errors.filter((text) => !expectedErrors.some((expected) => expected.test(text)))).toEqual([])
  },
})
