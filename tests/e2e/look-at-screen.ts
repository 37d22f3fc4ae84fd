import { expect, type Page, type TestInfo } from '@playwright/test'
import { expectAccessible } from './accessible.ts'

/**
 * Checks a screen as it stands: no violation by axe, and no sideways scroll at any width. With MIRADAS=1 it also writes
 * a screenshot of each width for review, which takes a second on a long screen.
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
    await expectNoSidewaysScroll(page)
  }
}

/** Checks that nothing is pushed out of the screen. @param what named where the check fails */
export const expectNoSidewaysScroll = async (page: Page, what?: string): Promise<void> =>
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), what).toBeLessThanOrEqual(0)
