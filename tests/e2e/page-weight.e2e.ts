import type { Page } from '@playwright/test'
import { hydrated, MAX_SCRIPT_BYTES, weigh } from './registration-form.ts'
import { expect, test } from './site.ts'

test.describe.configure({ mode: 'parallel' })

test.use({ viewport: { width: 390, height: 844 } })

test("the winner's screen never fetches the window of the vote", async ({ page }) => {
  let asked = 0
  await page.route('**/assets/vote-window-*.js', (route) => {
    asked++
    return route.continue()
  })
  await page.clock.install()
  await page.goto('/misspopularidad')
  await hydrated(page)
  // While the vote is open, a visitor who scrolls into the screen gets the window's code after two seconds.
  await page.clock.runFor(3_000)
  await page.mouse.wheel(0, 300)
  await page.clock.runFor(1_000)
  await page.waitForLoadState('networkidle')
  expect(asked).toBe(0)
})

test('the vote, while it is open, fetches no more JavaScript than it may', async ({ page, trialSite }) => {
  await trialSite.at('2025-09-20T12:00-06:00')
  const sum = await weigh(page)
  await page.goto(`${trialSite.url}/misspopularidad`)
  await hydrated(page)
  await page.waitForLoadState('networkidle')
  expect(sum()).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
})

for (const path of ['/registro', '/registro-traje-tipico'])
  test(`${path} fetches the tools of its form with the first touch, and the uploader with the first file`, async ({
    page,
  }) => {
    await page.goto(path)
    await hydrated(page)
    const [taller, sender] = [/controller\.client/, /send\.client/].map((code) => page.waitForRequest(code))
    await page.getByRole('textbox').first().focus()
    await taller
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'acta.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.4\n'),
      })
    await sender
  })

test.describe("a visitor's document", () => {
  const routes = (page: Page) =>
    page.evaluate(() =>
      Object.keys((window as unknown as { __reactRouterManifest: { routes: object } }).__reactRouterManifest.routes),
    )
  /** Navigates as a link within the document does. */
  const lead = (page: Page, path: string) =>
    page.evaluate(`window.__reactRouterDataRouter.navigate(${JSON.stringify(path)})`) as Promise<unknown>
  const door = (page: Page) => page.getByRole('button', { name: 'Iniciar sesión', exact: true })

  test('knows no route of the panel, whose own document knows them all', async ({ page }) => {
    await page.goto('/candidatas')
    await hydrated(page)
    const known = await routes(page)
    expect(known).toContain('site/teachers/teachers.page')
    expect(known.filter((id) => id.startsWith('panel/'))).toEqual([])
    await page.goto('/organizadores')
    await hydrated(page)
    expect(await routes(page)).toEqual(expect.arrayContaining([...known, 'panel/shell/panel.page']))
  })

  for (const path of ['/organizadores', '/misspopularidad-resultados'])
    test(`leads to ${path} by its document, and Back leads here again`, async ({ page }) => {
      await page.goto('/candidatas')
      await hydrated(page)
      // The document is replaced during the call, which then fails.
      await lead(page, path).catch(() => {})
      await expect(door(page)).toBeVisible()
      expect(new URL(page.url()).pathname).toBe(path)
      await hydrated(page)
      expect(await routes(page)).toContain('panel/shell/panel.page')
      await page.goBack()
      await expect(page.getByRole('heading', { level: 1, name: 'CONOCE A NUESTRAS CANDIDATAS' })).toBeVisible()
    })

  test('finds the panel by Back after a reload has taken its routes away', async ({ page }) => {
    await page.goto('/organizadores')
    await hydrated(page)
    await lead(page, '/candidatas')
    await expect(page.getByRole('heading', { level: 1, name: 'CONOCE A NUESTRAS CANDIDATAS' })).toBeVisible()
    await page.reload()
    await hydrated(page)
    await page.goBack()
    await expect(door(page)).toBeVisible()
  })
})
