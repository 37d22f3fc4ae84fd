import { expect, test } from './site.ts'

test('a screen whose link was in view opens without a byte over the network', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/', { waitUntil: 'networkidle' })
  const ahead = page.locator('link:is([rel="prefetch"], [rel="modulepreload"], [rel="stylesheet"])')
  await expect(page.locator('link[rel="prefetch"][href="/maestros.data"]')).toBeAttached()
  await expect(page.locator('link[rel="modulepreload"][href^="/assets/teachers.page-"]')).toBeAttached()
  const sheet = page.locator('link[rel="stylesheet"][href^="/assets/teachers-"]')
  await expect(sheet).toHaveCount(1)
  // All prefetches have come, so that a press finds them.
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
  expect(asked.map(({ name }) => new URL(name).pathname)).toEqual(['/maestros.data'])
  expect(asked.filter(({ transferSize }) => transferSize > 0)).toEqual([])
  // The stylesheet stays, and is there once.
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'Señorita Azahares' })).toBeVisible()
  await expect(sheet).toHaveCount(1)
})

test('content below the first view is rendered after it, and is there at once after Back', async ({ page }) => {
  await page.goto('/aviso-de-privacidad', { waitUntil: 'networkidle' })
  await expect(page.locator('html[data-hydrated]')).toBeAttached()
  await page.evaluate(() => {
    const seen: { footer: number; blocks: number }[] = []
    new MutationObserver(() => {
      const footer = document.querySelector('footer')!.getBoundingClientRect().top / innerHeight
      seen.push({ footer, blocks: document.querySelectorAll('main article').length })
    }).observe(document.querySelector('main')!, { childList: true, subtree: true })
    Object.assign(window, { seen })
  })
  const seen = () => page.evaluate(() => (window as unknown as { seen: { footer: number; blocks: number }[] }).seen)
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'CANDIDATAS' }).click()
  await expect(page.locator('main article')).toHaveCount(5)
  const [first] = await seen()
  expect(first!.blocks).toBe(1)
  expect(first!.footer).toBeGreaterThan(1)
  await page.getByRole('link', { name: 'Aviso de privacidad' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /privacidad/i })).toBeVisible()
  await page.evaluate(() => {
    ;(window as unknown as { seen: unknown[] }).seen.length = 0
  })
  await page.goBack()
  await expect(page.locator('main article')).toHaveCount(5)
  expect((await seen()).at(0)!.blocks).toBe(5)
})

test('beside a form nothing is fetched ahead', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const asked: string[] = []
  page.on('request', (request) => request.headers()['sec-purpose'] && asked.push(request.url()))
  await page.goto('/registro', { waitUntil: 'networkidle' })
  await expect(page.locator('html[data-hydrated]')).toBeAttached()
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  await expect(page.locator('link[rel="prefetch"]')).toHaveCount(0)
  expect(asked).toEqual([])
  // Once the form is left, the links in view are prefetched.
  await page.getByRole('contentinfo').getByRole('link', { name: 'Aviso de privacidad' }).click()
  await expect(page.locator('link[rel="prefetch"][href="/maestros.data"]')).toBeAttached()
})
