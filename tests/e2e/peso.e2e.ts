import type { Page } from '@playwright/test'
import { signIn } from './cuentas.ts'
import { hydrated } from './documentos.ts'
import { SCREENS } from './publicas.ts'
import { expect, Site, test } from './site.ts'

test.use({ viewport: { width: 390, height: 844 } })

const KIB = 1024
const LIMIT = 105 * KIB

// The press pages among the screens ask who is there.
test.beforeEach(({ context, site }) => signIn(context, site, 'prensa'))

/** Bytes of JavaScript, as sent, that a screen fetches before it is touched. */
async function weigh(page: Page, path: string): Promise<number> {
  let sum = 0
  page.on('response', (response) => {
    if (/\.js(\?|$)/.test(response.url())) sum += Number(response.headers()['content-length'])
  })
  // What is fetched ahead is another screen's.
  await page.addInitScript(() => {
    window.IntersectionObserver = class extends IntersectionObserver {
      override observe(target: Element) {
        if (!(target instanceof HTMLAnchorElement)) super.observe(target)
      }
    }
  })
  await page.goto(path)
  await hydrated(page)
  await page.waitForLoadState('networkidle')
  return sum
}

for (const path of SCREENS)
  test(`${path} fetches no more JavaScript than it may`, async ({ page }) => {
    const sum = await weigh(page, path)
    // Else it was not weighed at all.
    expect(sum).toBeGreaterThan(80 * KIB)
    expect(sum).toBeLessThanOrEqual(LIMIT)
  })

test("the winner's screen never fetches the window of the vote", async ({ page }) => {
  let asked = 0
  await page.route('**/assets/ventana-del-voto-*.js', (route) => {
    asked++
    return route.continue()
  })
  await page.goto('/misspopularidad')
  await hydrated(page)
  // While the vote is open, it comes after two seconds to whoever goes into the screen.
  await page.waitForTimeout(3_000)
  await page.mouse.wheel(0, 300)
  await page.waitForTimeout(1_000)
  expect(asked).toBe(0)
})

test('the vote, while it is open, fetches no more JavaScript than it may', async ({ page }) => {
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' })
  try {
    expect(await weigh(page, `${site.url}/misspopularidad`)).toBeLessThanOrEqual(LIMIT)
    // The screen goes on asking for the count, and would say that nobody answers.
    await page.close()
  } finally {
    await site.stop()
  }
})

for (const path of ['/registro', '/registro-traje-tipico'])
  test(`${path} fetches what works on its form with the first touch, and what sends it with the first file`, async ({
    page,
  }) => {
    await page.goto(path)
    await hydrated(page)
    const [taller, sender] = [/taller\.client/, /envio\.client/].map((code) => page.waitForRequest(code))
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
  test.beforeEach(({ context }) => context.clearCookies())
  const routes = (page: Page) =>
    page.evaluate(() =>
      Object.keys((window as unknown as { __reactRouterManifest: { routes: object } }).__reactRouterManifest.routes),
    )
  /** Goes there as a link within the document would. */
  const lead = (page: Page, path: string) =>
    page.evaluate(`window.__reactRouterDataRouter.navigate(${JSON.stringify(path)})`) as Promise<unknown>
  const door = (page: Page) => page.getByRole('button', { name: 'Iniciar sesión', exact: true })

  test('knows no route of the panel, whose own document knows them all', async ({ page }) => {
    await page.goto('/candidatas')
    await hydrated(page)
    const known = await routes(page)
    expect(known).toContain('maestros/maestros.page')
    expect(known.filter((id) => id.startsWith('organizadores/'))).toEqual([])
    await page.goto('/organizadores')
    await hydrated(page)
    expect(await routes(page)).toEqual(expect.arrayContaining([...known, 'organizadores/panel.page']))
  })

  for (const path of ['/organizadores', '/misspopularidad-resultados'])
    test(`leads to ${path} by its document, and Back leads here again`, async ({ page }) => {
      await page.goto('/candidatas')
      await hydrated(page)
      // The document goes away under it.
      await lead(page, path).catch(() => {})
      await expect(door(page)).toBeVisible()
      expect(new URL(page.url()).pathname).toBe(path)
      await hydrated(page)
      expect(await routes(page)).toContain('organizadores/panel.page')
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
