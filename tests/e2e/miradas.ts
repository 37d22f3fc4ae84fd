import { expect, type Page, type TestInfo } from '@playwright/test'
import { expectAccessible } from './accessible.ts'

/** Looks at a screen as it stands: nothing against it by axe, no scrolling sideways, and a picture at each width. */
export async function look(page: Page, info: TestInfo, name: string): Promise<void> {
  await expectAccessible(page)
  for (const [width, height] of [
    [360, 740],
    [768, 1024],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: info.outputPath(`${name}-${width}.png`), fullPage: true })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }
}
