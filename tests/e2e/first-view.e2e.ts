import type { Page } from '@playwright/test'
import { holdScripts } from './registration-form.ts'
import { expect, test } from './site.ts'

test.describe.configure({ mode: 'parallel' })

test.use({ viewport: { width: 390, height: 844 } })

/** Stretches the three seconds after which a page goes on without its first picture, for a busy machine. */
const waitLonger = (page: Page) =>
  page.addInitScript(() => {
    const { setTimeout: later } = window
    Object.assign(window, { setTimeout: (work: () => void, ms?: number) => later(work, ms === 3_000 ? 60_000 : ms) })
  })

for (const [path, first] of [
  ['/', 1],
  // The picture of all candidates, and the first candidate's below it.
  ['/candidatas', 2],
  ['/registro', 1],
  ['/misspopularidad', 1],
  ['/nuestra-historia', 1],
] as const)
  test(`${path}: nothing shares the connection with the first pictures`, async ({ page }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.resourceType()))
    const there = Promise.withResolvers<void>()
    let held = 0
    await page.route('**/img/**', async (route) => {
      held++
      await there.promise
      await route.continue()
    })
    await waitLonger(page)
    await page.goto(path, { waitUntil: 'commit' })
    await expect.poll(() => held).toBe(first)
    await expect(page.getByRole('contentinfo')).toBeAttached()
    // After two frames every picture that the layout needs has been requested.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    expect(held).toBe(first)
    // The fonts of the home's title, roman and italic, are seen first, too.
    expect(asked.filter((kind) => kind === 'script' || kind === 'font')).toEqual(path === '/' ? ['font', 'font'] : [])
    there.resolve()
    await expect(page.locator('html[data-hydrated]')).toBeAttached()
    await expect(page.locator('html[data-first-picture-only]')).toHaveCount(0)
    await expect.poll(() => asked.filter((kind) => kind === 'font').length).toBeGreaterThanOrEqual(path === '/' ? 3 : 1)
    // Pictures further down are back in their place.
    const moved = await page
      .locator('img[loading="lazy"]')
      .evaluateAll((all) => all.filter((image) => getComputedStyle(image).translate !== 'none').length)
    expect(moved).toBe(0)
  })

test('fonts change once, when all of them are there', async ({ page }) => {
  await waitLonger(page)
  const there = Promise.withResolvers<void>()
  await page.route('**/instrument-*.woff2', async (route) => {
    await there.promise
    await route.continue()
  })
  await page.goto('/nuestra-historia', { waitUntil: 'commit' })
  const loaded = () =>
    page.evaluate(
      () =>
        [...document.fonts].filter(({ family, status }) => /^"?Bodoni"?$/.test(family) && status === 'loaded').length,
    )
  await expect.poll(loaded).toBe(2)
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).not.toHaveCSS('font-family', /Bodoni,/)
  there.resolve()
  await expect(title).toHaveCSS('font-family', /Bodoni,/)
})

test('the home’s title is painted in its own letters only, and never from nothing', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  // The title's entrance waits for the picture, which never comes.
  await page.route('**/img/**', () => {})
  await page.goto('/', { waitUntil: 'commit' })
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).toBeVisible()
  const displays = await page.evaluate(() =>
    [...document.fonts].filter(({ family }) => family.includes('rótulo')).map(({ display }) => display),
  )
  expect(displays).toEqual(['block', 'block'])
  const { family, opacities } = await title.evaluate((element) => ({
    family: getComputedStyle(element).fontFamily,
    opacities: element
      .getAnimations({ subtree: true })
      .flatMap(({ effect }) => (effect as KeyframeEffect).getKeyframes().map(({ opacity }) => Number(opacity))),
  }))
  expect(family).toMatch(/^"Bodoni del rótulo"/)
  expect(opacities).toEqual([0.25, 1, 0.25, 1])
})

for (const path of ['/', '/nuestra-historia', '/candidatas', '/maestros', '/convocatoria', '/registro'])
  test(`${path}: a telephone fetches no picture in two widths`, async ({ browser, site }) => {
    const context = await browser.newContext({
      baseURL: site.url,
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
    })
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => {
      const [, base] = /\/img\/(.+)-\d+\.\w+$/.exec(request.url()) ?? []
      if (base) asked.push(base)
    })
    await page.goto(path)
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    expect(asked).not.toEqual([])
    expect(asked).toEqual([...new Set(asked)])
    await context.close()
  })

test.describe('while the vote is open', () => {
  test('both of the candidates that a telephone shows come first', async ({ page, rehearsalSite }) => {
    await rehearsalSite.at('2025-09-20T12:00-06:00')
    await page.goto(`${rehearsalSite.url}/misspopularidad`)
    const first = page.locator('main img[data-first]')
    await expect(first).toHaveCount(2)
    await expect(first.nth(1)).toBeInViewport()
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('fonts and pictures come by themselves', async ({ page }) => {
    const fonts: string[] = []
    page.on('request', (request) => request.resourceType() === 'font' && fonts.push(request.url()))
    await page.goto('/candidatas')
    await expect.poll(() => fonts.length).toBeGreaterThan(1)
    const photo = page.locator('main picture img[loading="lazy"]').first()
    await photo.scrollIntoViewIfNeeded()
    await expect.poll(() => photo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  })
})

test('a form that was sent before the page is alive is sent once', async ({ page }) => {
  const open = await holdScripts(page)
  // The document stays, as it does while a slow answer is awaited.
  await page.addInitScript(() => {
    const sent: string[] = []
    Object.assign(window, { sent })
    const keep = (event: SubmitEvent) => {
      event.preventDefault()
      sent.push((event.submitter as HTMLButtonElement).value)
    }
    document.addEventListener('submit', keep, { capture: true })
  })
  await page.goto('/medios')
  await page.getByLabel('Correo Electrónico').fill('nadie@medio.example')
  await page.getByLabel('Contraseña', { exact: true }).fill('no es esta contraseña')
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  open()
  await expect(page.locator('html[data-hydrated]')).toBeAttached()
  // A second submission would have been sent by now.
  await page.waitForTimeout(300)
  expect(await page.evaluate(() => (window as unknown as { sent: string[] }).sent)).toEqual(['entrar'])
})
