import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { signIn } from './accounts.ts'
import { SCREENS } from './public-screens.ts'
import { holdBack, holdScripts, hydrated } from './registration-form.ts'
import { expect, test } from './site.ts'
import { vote } from './voting-days.ts'

test('while the vote is open the home asks for it, and the candidates’ screen ends with it', async ({
  page,
  votingSite,
}) => {
  await page.goto(votingSite.url)
  for (const viewport of [
    { width: 320, height: 568 },
    { width: 844, height: 390 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(viewport)
    const link = page.getByRole('main').getByRole('link', { name: 'Vota por tu favorita' })
    await expect(link).toBeInViewport({ ratio: 1 })
    await expect(page.getByText('Quedan 5 días para votar')).toBeInViewport({ ratio: 1 })
    await expect(page.getByText('Final: sábado 27 de septiembre, 20:00')).toBeInViewport({ ratio: 1 })
  }
  await page.getByRole('main').getByRole('link', { name: 'Vota por tu favorita' }).click()
  await expect(page).toHaveURL(/\/misspopularidad$/)
  await page.goto(`${votingSite.url}/candidatas`)
  const continues = page.getByRole('navigation', { name: 'Sigue' })
  await continues.getByRole('link', { name: 'Vota por tu favorita' }).click()
  await expect(page).toHaveURL(/\/misspopularidad$/)
})

test('the vote is asked for until the very moment of the closing, and not after it', async ({ page, votingSite }) => {
  // The page's clock moves on to midnight, when the page asks again for the call to action.
  await page.clock.install()
  // The page knows when to ask again only by the answer to its first question.
  const answered = page.waitForResponse('**/periodos')
  await page.goto(votingSite.url)
  await (await answered).finished()
  await expect(page.getByText('Quedan 5 días para votar')).toBeVisible()
  await page.route('**/periodos', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, llamado: { que: 'conocer-ganadora' } } })
  })
  const winnerLink = page.getByRole('main').getByRole('link', { name: 'Conoce a la más votada' })
  await expect(async () => {
    await page.clock.fastForward('12:00:10')
    await expect(winnerLink).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await expect(page.getByText('Quedan 5 días para votar')).toHaveCount(0)
})

test('once the vote is over the home leads to the winner, and nothing moves on the answer', async ({ page }) => {
  const release = await holdBack(page, '**/periodos')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await hydrated(page)
  // Late fonts may break a line anew.
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  const title = page.getByRole('heading', { level: 1 })
  const before = await title.boundingBox()
  const link = page.getByRole('main').getByRole('link', { name: 'Conoce a la más votada' })
  await expect(link).toBeInViewport({ ratio: 1 })
  const answer = page.waitForResponse('**/periodos')
  release()
  await answer
  await expect(link).toBeInViewport({ ratio: 1 })
  await expect(page.getByText('La final fue el sábado 27 de septiembre')).toBeInViewport({ ratio: 1 })
  await expect(page.getByText('Señorita Popularidad 2025', { exact: true })).toBeInViewport({ ratio: 1 })
  expect(await title.boundingBox()).toEqual(before)
  await link.click()
  await expect(page).toHaveURL(/\/misspopularidad$/)
  await expect(page.getByRole('main')).toContainText('Ximena')
})

test('the fair’s hour lies over the hero, but not if less motion is wanted', async ({ page }) => {
  let fairSky = ''
  await page.route('**/periodos', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, ambiente: fairSky } })
  })
  for (fairSky of ['crepusculo', 'luces', 'fuegos', 'brasas']) {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto('/', { waitUntil: 'domcontentloaded' })
    const sky = page.locator(`[data-sky="${fairSky}"]`)
    await expect(sky).toBeVisible()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect(sky).toBeHidden()
  }
})

test('every screen of the way through the site ends with the next one, and the footer with a folio', async ({
  page,
}) => {
  for (const [path, name, next] of [
    ['/nuestra-historia', 'Conoce a las candidatas', '/candidatas'],
    ['/maestros', 'Conoce a las candidatas', '/candidatas'],
    ['/convocatoria', 'Lee nuestra historia', '/nuestra-historia'],
    ['/misspopularidad', 'Conoce a las candidatas', '/candidatas'],
  ] as const) {
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    const continues = page.getByRole('navigation', { name: 'Sigue' })
    await expect(continues.getByRole('link', { name, exact: true })).toHaveAttribute('href', next)
  }
  // Before the candidates are known the vote's screen leads on to the registration, and after the final to the queen.
  let phase: object = {}
  await page.route('**/periodos', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, ...phase } })
  })
  const queen = { nombre: 'Ximena Agave Montaño' }
  for (const [que, name] of [
    ['inscribirse', 'Inscríbete'],
    ['conocer-reina', 'Conoce a la reina'],
  ]) {
    phase = {
      llamado: { que, resta: 'Señorita Azahares 2025' },
      reina: queen,
      titulos: { 'ximena-agave-montano': 'Señorita Azahares 2025' },
    }
    await page.goto('/misspopularidad')
    await expect(page.getByRole('navigation', { name: 'Sigue' }).getByRole('link')).toHaveText(String(name))
  }
  // While people still vote, the home says who is queen; later its call to action does.
  await page.goto('/')
  await expect(page.getByText(queen.nombre, { exact: true }).first()).toBeVisible()
  await expect(page.getByText(`Reina 2025: ${queen.nombre}`)).toHaveCount(0)
  await page.goto('/candidatas')
  await expect(page.getByRole('article', { name: queen.nombre }).getByText('Señorita Azahares 2025')).toBeVisible()
  await expect(page.getByRole('article').getByText('Señorita Azahares 2025')).toHaveCount(1)
  phase = { llamado: { que: 'votar', resta: 'Quedan 5 días para votar' }, reina: queen }
  await page.goto('/')
  await expect(page.getByText(`Reina 2025: ${queen.nombre}`, { exact: true })).toBeVisible()
  await page.getByRole('contentinfo').getByRole('link', { name: 'Tu folio' }).click()
  await expect(page).toHaveURL(/\/folio$/)
})

test('the place of registrations that are over is removed above the view too, and nothing in view moves', async ({
  page,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/periodos', async (route) => {
    await released
    const answer = await (await route.fetch()).json()
    const isOver = { estado: 'despues' }
    await route.fulfill({ json: { ...answer, candidatas: isOver, trajes: isOver } })
  })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await hydrated(page)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  const arches = page.getByRole('main').getByRole('list', { name: 'Candidatas' })
  await arches.evaluate((list) => list.scrollIntoView())
  await page.evaluate(() => scrollBy(0, 150))
  const height = () => page.evaluate(() => document.documentElement.scrollHeight)
  const [heightBefore, place] = [await height(), (await arches.boundingBox())!]
  release()
  await expect.poll(height).toBeLessThanOrEqual(heightBefore - 256)
  expect((await arches.boundingBox())!.y).toBeCloseTo(place.y, 0)
})

test.describe('without an answer on the phase', () => {
  test.use({ expectedErrors: [/net::ERR_/] })
  test('the document’s own call to action stays', async ({ page }) => {
    await page.route('**/periodos', (route) => route.abort())
    await page.goto('/')
    await hydrated(page)
    await expect(page.getByRole('main').getByRole('link', { name: 'Conoce a la más votada' })).toBeVisible()
  })
})

test('the first paint has the call to action and the final’s date, without waiting for scripts', async ({ page }) => {
  await holdScripts(page)
  await page.goto('/', { waitUntil: 'commit' })
  const link = page.getByRole('main').getByRole('link', { name: 'Conoce a la más votada' })
  await expect(link).toBeVisible()
  await expect(link.locator('..')).toHaveCSS('opacity', '1')
  await expect(page.getByText('La final fue el sábado 27 de septiembre')).toBeVisible()
})

test('the document says the phase of each hour, without JavaScript too', async ({ browser, trialSite }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: trialSite.url })
  const page = await context.newPage()
  for (const [moment, call, final] of [
    ['2025-09-20T12:00-06:00', 'Vota por tu favorita', 'Final: sábado 27 de septiembre, 20:00'],
    ['2025-09-24T12:00-06:00', 'Mañana es el último día para votar', 'Final: sábado 27 de septiembre, 20:00'],
    ['2025-09-26T12:00-06:00', 'Conoce a la más votada', 'Final: sábado 27 de septiembre, 20:00'],
    ['2025-09-27T21:10-06:00', 'Conoce a la más votada', 'Ahora: la final'],
    ['2025-09-28T00:00:10-06:00', 'Conoce a la más votada', 'La final fue el sábado 27 de septiembre'],
  ] as const) {
    await trialSite.at(moment)
    await page.goto('/')
    await expect(page.getByRole('main').getByText(call), moment).toBeVisible()
    await expect(page.getByText(final), moment).toBeVisible()
  }
  await context.close()
})

test.describe('on a phone', () => {
  // One of the addresses is unknown.
  test.use({ viewport: { width: 360, height: 740 }, expectedErrors: [/status of 404/] })
  const bar = (page: Page) => page.getByRole('link', { name: 'Quedan 5 días · Votar' })

  test('the foot of every public screen without a form leads to the vote while it is open', async ({
    context,
    page,
    votingSite,
  }) => {
    await signIn(context, votingSite, 'prensa')
    for (const path of [...SCREENS, '/misspopularidad/acta', '/no-hay']) {
      if (path === '/misspopularidad') continue
      await page.goto(votingSite.url + path, { waitUntil: 'domcontentloaded' })
      if ((await page.locator('main form').count()) > 0) {
        await expect(bar(page), path).toBeHidden()
        continue
      }
      // The home's first view has the vote's button itself.
      if (path === '/') {
        await expect(bar(page)).toBeHidden()
        await page.evaluate(() => scrollTo({ top: innerHeight, behavior: 'instant' }))
      }
      await expect(bar(page), path).toBeInViewport({ ratio: 1 })
      // At the page's end the bar stands below the footer.
      const { covered, end } = await page.evaluate(() => {
        scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
        const [footer, foot] = ['footer', 'aside[aria-label="Votación"]'].map((one) =>
          document.querySelector(one)!.getBoundingClientRect(),
        )
        return { covered: footer!.bottom - foot!.top, end: foot!.bottom - innerHeight }
      })
      expect(covered, path).toBeLessThanOrEqual(0.5)
      expect(Math.abs(end), path).toBeLessThan(1)
    }
    await bar(page).click()
    await expect(page).toHaveURL(/\/misspopularidad$/)
    await expect(page.getByRole('button', { name: /^Votar por/ })).toHaveCount(5)
    await expect(bar(page)).toHaveCount(0)
    await page.goto(`${votingSite.url}/candidatas`)
    await page.setViewportSize({ width: 768, height: 1024 })
    await expect(bar(page)).toBeHidden()
  })

  test('the bar never lies over what has the keyboard’s focus', async ({ page, votingSite }) => {
    await page.goto(`${votingSite.url}/maestros`)
    await hydrated(page)
    for (let press = 0; press < 30; press++) {
      await page.keyboard.press('Tab')
      const overlap = await page.evaluate(() => {
        const element = document.activeElement!
        const foot = document.querySelector('aside[aria-label="Votación"]')!
        if (element === document.body || foot.contains(element) || element.closest('header, .skip-link')) return 0
        const { top, bottom, height } = element.getBoundingClientRect()
        // A part of an element as tall as the window is always covered.
        return height > innerHeight / 2
          ? 0
          : Math.min(bottom, innerHeight) - Math.max(top, foot.getBoundingClientRect().top)
      })
      expect(overlap).toBeLessThanOrEqual(0)
    }
  })

  test('once the vote is over no bar stands there, and a screen names the winner’s once', async ({ page }) => {
    for (const path of ['/', '/candidatas']) {
      await page.goto(path)
      await expect(page.getByRole('link', { name: 'Conoce a la más votada' })).toHaveCount(1)
      await expect(page.getByRole('link', { name: /Votar/ })).toHaveCount(0)
      await expect(page.getByRole('complementary', { name: 'Votación' })).toHaveCount(0)
    }
  })
})

test('every candidate’s block leads to the vote for her, in her colour', async ({ page, votingSite }) => {
  await page.goto(`${votingSite.url}/candidatas`)
  await hydrated(page)
  const links = page.getByRole('article').getByRole('link', { name: /^Votar por \S+$/ })
  await expect(links).toHaveCount(5)
  expect(new Set(await links.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))).size).toBe(
    5,
  )
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Votar por Ximena' }).click()
  await expect(page).toHaveURL(/\/misspopularidad/)
  await expect(vote(page)).toContainText('Ximena')
})
