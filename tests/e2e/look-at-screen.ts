import { expect, type Page, type TestInfo } from '@playwright/test'
import { expectAccessible } from './accessible.ts'

/**
 * Looks at a screen as it stands: nothing against it by axe, and no scrolling sideways at any width. With MIRADAS=1 it
 * leaves a picture of each width for somebody to look at; a whole long screen takes a second to paint.
 */
export async function look(page: Page, info: TestInfo, name: string): Promise<void> {
  await expectAccessible(page)
  for (const [width, height] of [
    [360, 740],
    [768, 1024],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    if (process.env.MIRADAS) await page.screenshot({ path: info.outputPath(`${name}-${width}.png`), fullPage: true })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  }
}
