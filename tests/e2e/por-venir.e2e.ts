import { expect, test } from './site.ts'

test('a screen whose link was in view opens without a word over the line', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/', { waitUntil: 'networkidle' })
  const ahead = page.locator('link[rel="prefetch"]')
  await expect(page.locator('link[rel="prefetch"][href="/maestros.data"]')).toBeAttached()
  await expect(page.locator('link[rel="prefetch"][href^="/assets/maestros-"]')).toBeAttached()
  // All that is fetched ahead has come, so that a press finds it.
  const hrefs = await ahead.evaluateAll((all: HTMLLinkElement[]) => all.map(({ href }) => href))
  const fetched = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  await expect.poll(async () => hrefs.every(Set.prototype.has, new Set(await fetched()))).toBe(true)
  await page.evaluate(() => performance.clearResourceTimings())
  await page.getByRole('navigation').getByRole('link', { name: 'MAESTROS' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /maestros/i })).toBeVisible()
  const asked = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /maestros[^/]*\.(data|css|js)/.test(name))
      .map(({ name, transferSize }) => ({ name, transferSize })),
  )
  expect(asked.filter(({ name }) => name.endsWith('.css')).length).toBeGreaterThan(0)
  expect(asked.filter(({ name }) => name.endsWith('.data')).length).toBe(1)
  expect(asked.filter(({ transferSize }) => transferSize > 0)).toEqual([])
})

test('beside a form nothing is fetched ahead', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const asked: string[] = []
  page.on('request', (request) => request.headers()['sec-purpose'] && asked.push(request.url()))
  await page.goto('/registro', { waitUntil: 'networkidle' })
  await expect(page.locator('html[data-despierta]')).toBeAttached()
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  await expect(page.locator('link[rel="prefetch"]')).toHaveCount(0)
  expect(asked).toEqual([])
})
