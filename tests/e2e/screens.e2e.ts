import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { signedIn } from './accounts.ts'
import { SCREENS } from './public-screens.ts'
import { hydrated, MAX_SCRIPT_BYTES, weigh } from './registration-form.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'
import { expectReadable } from './whole-screen.ts'

test.describe.configure({ mode: 'parallel' })

// One press account for the press pages among the screens.
let press: ReturnType<typeof signedIn> | undefined
test.beforeEach(async ({ context, site }) => {
  press ??= signedIn(site, 'prensa')
  const { name, value } = await press
  await context.addCookies([{ name, value, url: site.url }])
})

/** Opens a screen, and waits until it is hydrated. */
async function visit(page: Page, path: string) {
  await page.goto(path)
  await hydrated(page)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Marks the popularity sponsors' window as seen in this session. */
const seeSponsors = (page: Page) => page.addInitScript(() => sessionStorage.setItem('certamen.patrocinadores', '1'))

/** Presses Tab from stop to stop until the focus leaves the page. */
async function tabThrough(page: Page) {
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    scrollTo(0, 0)
  })
  const seen = new Set<string>()
  let stops = 1
  for (let press = 0; press <= stops + 2; press++) {
    await page.keyboard.press('Tab')
    const { stop, there } = await page.evaluate(() => {
      const there = document.querySelectorAll(
        'a[href], button:not(:disabled), input, select, textarea, [tabindex="0"], video[controls]',
      ).length
      const element = document.activeElement
      if (!element || element === document.body) return { there }
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const shown = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      // A file input lies unseen over its row; a video's own controls show the ring.
      const row = element.closest('label, [data-foco]') ?? element.parentElement
      const ring = row ? getComputedStyle(row) : undefined
      const rowShown = ring !== undefined && (ring.outlineStyle !== 'none' || ring.boxShadow !== 'none')
      const what = element.outerHTML.slice(0, 120)
      return { there, stop: { what, shown: shown || rowShown || element.tagName === 'VIDEO' } }
    })
    // Data that the page fetched after hydration may add stops.
    stops = there
    if (!stop) break
    expect(stop.shown, stop.what).toBe(true)
    seen.add(stop.what)
  }
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)
  expect(seen.size).toBeGreaterThan(5)
}

for (const path of SCREENS)
  test(`${path}: the requirements of every screen`, async ({ page }) => {
    // With motion more code is fetched.
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.setViewportSize({ width: 390, height: 844 })
    await seeSponsors(page)
    const sum = await weigh(page)
    await visit(page, path)
    await softStep('fetches no more JavaScript than it may', async () => {
      await page.waitForLoadState('networkidle')
      // A lower sum would mean that the code was not weighed.
      expect(sum()).toBeGreaterThan(80 * 1_024)
      expect(sum()).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
    })

    await softStep('says in its head once its title and its address', async () => {
      const once = ['title', 'meta[name="description"]']
      // A screen that is kept out of search engines has no canonical address.
      const isPublic = (await page.locator('head meta[name="robots"][content="noindex"]').count()) === 0
      if (isPublic) once.push('link[rel="canonical"]', 'meta[property="og:url"]')
      for (const line of once) await expect(page.locator(`head ${line}`), line).toHaveCount(1)
    })

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await softStep('has targets of 24 px, and breaks no other rule that axe has', () =>
      expectAccessible(page, { targets: true }),
    )

    await softStep('is whole at 320 px, which is 400 % of 1280, and with letters of twice the size', () =>
      expectReadable(page),
    )

    await softStep('shows where the keyboard is at every stop, and traps it nowhere', async () => {
      await page.evaluate(() => document.documentElement.style.removeProperty('font-size'))
      await page.setViewportSize({ width: 1440, height: 900 })
      await tabThrough(page)
    })
  })

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('every screen can be read and left', async ({ page }) => {
    for (const path of SCREENS)
      await softStep(`${path} can be read and left`, async () => {
        await page.goto(path, { waitUntil: 'domcontentloaded' })
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Aviso de privacidad' })).toBeVisible()
        await expect(
          page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'CANDIDATAS' }),
        ).toBeVisible()
      })
  })
})

test.describe('without pictures', () => {
  test.use({ expectedErrors: [/Failed to load resource/] })
  test('every picture says what it would show', async ({ page }) => {
    await page.route(/\/img\//, (route) => route.abort())
    for (const path of ['/', '/candidatas', '/maestros']) {
      await page.goto(path, { waitUntil: 'domcontentloaded' })
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const silent = await page
        .locator('img:not([aria-hidden])')
        .evaluateAll((all) => all.filter((image) => (image.getAttribute('alt') ?? '').length < 3).length)
      expect(silent, path).toBe(0)
    }
  })
})
