import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import type { DocumentFile } from '../e2e/registration-form.ts'
import { type Site, siteWith } from '../e2e/site.ts'
import { startFirefox } from './firefox.ts'
import { Visitor } from './visitor.ts'
import { startWebKit } from './webkit.ts'
import type { Engine } from './window.ts'

export { expect }

interface Fixtures {
  /** A visitor at a new window of the engine, without cookies or storage. */
  visitor: Visitor
  /** Writes files to a disk, where the engine finds them. @returns the paths */
  onDisk: (...files: DocumentFile[]) => Promise<string[]>
}

/** Runs a site in the days of the vote, with both registrations open, and the engine of the current project. */
export const test = base.extend<Fixtures, { engine: Engine; site: Site }>({
  engine: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
    async ({}, use, { project }) => {
      const engine = await (project.name === 'firefox' ? startFirefox() : startWebKit())
      await use(engine)
      await engine.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  site: siteWith({ SITE_CLOCK: '2025-09-20T12:00-06:00' }),
  visitor: async ({ engine, site }, use, info) => {
    const browserWindow = await engine.newWindow()
    await use(new Visitor(browserWindow, site.url))
    if (info.status !== info.expectedStatus) {
      const path = info.outputPath('ventana.png')
      await writeFile(path, await browserWindow.picture())
      await info.attach('ventana', { path, contentType: 'image/png' })
    }
    const faults = browserWindow.faults()
    await browserWindow.close()
    expect(faults).toEqual([])
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
  onDisk: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'certamen-archivos-'))
    await use((...files) =>
      Promise.all(
        files.map(async ({ name, buffer }) => {
          const path = join(folder, name)
          await writeFile(path, buffer)
          return path
        }),
      ),
    )
    await rm(folder, { recursive: true })
  },
})
