import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { CLOSED_PERIOD, setPeriods } from './set-periods.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

const current = (page: Page) => page.locator('[data-live] > [data-place="current"]')
const lightbox = (page: Page) => page.getByRole('dialog', { name: 'Carteles de las convocatorias' })

// Both registrations are closed, as in the specification; tests/e2e/periods.e2e.ts tests open ones.
test.beforeAll(({ site }) => setPeriods(site, CLOSED_PERIOD, CLOSED_PERIOD).then(() => {}))
test.afterAll(async ({ site }) => {
  await site.sql(`delete from ajustes where nombre like 'registro.%'`)
})

async function visit(page: Page) {
  await page.goto('/convocatoria')
  await expect(current(page)).toBeVisible()
}

test('both announcements, and the posters that open from them', async ({ page }) => {
  await visit(page)
  await softStep('first the costume contest, closed', async () => {
    await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Concurso de Trajes Típicos')
    await expect(current(page).getByText('Participa y gana $10,000 pesos en efectivo.', { exact: true })).toBeVisible()
    await expect(current(page).getByRole('button', { name: 'Registrarse', exact: true })).toBeDisabled()
    await expect(current(page).getByText('Convocatoria cerrada, muchas gracias por participar.')).toBeVisible()
  })

  await softStep('then the closed call; both ends join, by buttons and dots', async () => {
    const next = page.getByRole('button', { name: 'Siguiente →', exact: true })
    const previous = page.getByRole('button', { name: '← Anterior', exact: true })
    const heading = current(page).getByRole('heading', { level: 2 })
    await next.click()
    await expect(heading).toHaveText('Convocatoria cerrada')
    await expect(current(page).getByText('Gracias por su participación.', { exact: true })).toBeVisible()
    await expect(current(page).getByRole('button', { name: 'Registrarse' })).toHaveCount(0)
    const onward = current(page).getByRole('link', { name: 'Conoce a las candidatas' })
    await expect(onward).toHaveAttribute('href', '/candidatas')
    await next.click()
    await expect(heading).toHaveText('Concurso de Trajes Típicos')
    await previous.click()
    await expect(heading).toHaveText('Convocatoria cerrada')
    const dots = page.getByRole('button', { name: /^Anuncio/ })
    await expect(dots).toHaveCount(2)
    await dots.first().click()
    await expect(heading).toHaveText('Concurso de Trajes Típicos')
    await expect(dots.first()).toHaveAttribute('aria-current', 'true')
  })

  const screens = [
    [1440, 900],
    [1920, 1080],
    [1024, 768],
    [768, 1024],
    [390, 844],
    [360, 640],
  ] as const
  for (const number of [1, 2]) {
    await page.getByRole('button', { name: `Anuncio ${number} de 2`, exact: true }).click()
    const poster = current(page).locator(`a[data-replay-click="carteles-${number}"]`)
    await expect(poster).toBeVisible()
    const inPlace: { width: number; height: number }[] = []
    for (const [width, height] of screens) {
      await page.setViewportSize({ width, height })
      inPlace.push((await poster.boundingBox())!)
    }
    await poster.click()
    for (const [at, [width, height]] of screens.entries())
      await softStep(
        `poster ${number} is no smaller over the whole screen than in its place, at ${width} × ${height}`,
        async () => {
          await page.setViewportSize({ width, height })
          const shown = lightbox(page).locator('[data-place="current"] [data-zoom-target]')
          await expect(shown).toBeInViewport({ ratio: 1 })
          await expect.poll(async () => (await shown.boundingBox())?.width).toBeGreaterThanOrEqual(inPlace[at]!.width)
          expect((await shown.boundingBox())!.height).toBeGreaterThanOrEqual(inPlace[at]!.height)
          // The caption does not cover the poster.
          const box = (await shown.boundingBox())!
          const said = (await lightbox(page).locator('p').boundingBox())!
          expect(said.y >= box.y + box.height - 1 || said.x >= box.x + box.width).toBe(true)
        },
      )
    await page.goBack()
    await expect(lightbox(page)).toBeHidden()
  }

  // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
  await page.setViewportSize({ width: 1440, height: 900 })
  await expectAccessible(page)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('both announcements can be read and their posters opened', async ({ page }) => {
    await page.goto('/convocatoria')
    await expect(page.getByRole('heading', { level: 2 })).toHaveText([
      'Concurso de Trajes Típicos',
      'Convocatoria cerrada',
    ])
    await expect(page.getByRole('button', { name: /Siguiente/ })).toHaveCount(0)
    expect(
      await page
        .getByRole('link', { name: /^Cartel/ })
        .first()
        .getAttribute('href'),
    ).toMatch(/^\/img\/.+\.jpg$/)
  })
})
