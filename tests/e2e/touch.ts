import type { Locator, Page } from '@playwright/test'

/** Draws a finger across an element's middle, by dx and dy pixels. The page needs a touch screen. */
export async function swipe(page: Page, target: Locator, dx: number, dy = 0): Promise<void> {
  // A picture that still slides in is partly outside the screen.
  await (await target.elementHandle())?.waitForElementState('stable')
  const box = await target.boundingBox()
  if (!box) throw new Error('Nothing to swipe over')
  const viewport = page.viewportSize()!
  const x = Math.round(box.x + box.width / 2 - dx / 2)
  const y = Math.round(Math.min(box.y + box.height / 2, viewport.height - 60) - dy / 2)
  const cdp = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', part?: number) =>
    cdp.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: part === undefined ? [] : [{ x: Math.round(x + dx * part), y: Math.round(y + dy * part) }],
    })
  await touch('touchStart', 0)
  for (const part of [0.3, 0.6, 1]) await touch('touchMove', part)
  await touch('touchEnd')
  await cdp.detach()
}
