import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { ELECTION } from '../support/voting/votes.ts'
import { expectAccessible } from './accessible.ts'
import { signIn } from './accounts.ts'
import { expectNoSidewaysScroll } from './look-at-screen.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

test.describe.configure({ mode: 'parallel' })

const sponsors = (page: Page) => page.getByRole('dialog', { name: 'Gracias a nuestros patrocinadores' })
const close = (page: Page) => sponsors(page).getByRole('button', { name: 'Cerrar' })
const pieces = (page: Page) => page.locator('[data-confetti] > *')

/** Arrives in a new browser session: the confetti hangs, and the sponsors' window is still to come. */
async function visit(page: Page) {
  await page.clock.install()
  await page.goto('/misspopularidad')
  await expect(pieces(page).last()).toBeVisible()
}

/** Lets the time pass after which the sponsors' window opens. */
async function openSponsors(page: Page) {
  await page.clock.fastForward(4_800)
  await expect(sponsors(page)).toBeVisible()
}

/** Lets the time pass during which the sponsors' window cannot be closed. */
async function waitOut(page: Page) {
  await expect(async () => {
    await page.clock.fastForward(2_000)
    await expect(close(page)).toBeVisible({ timeout: 200 })
  }).toPass()
}

test.describe('winner and record', () => {
  // An unknown receipt answers 404.
  test.use({ expectedErrors: [/status of 404/] })

  test('winner and record', async ({ context, page, site }) => {
    await visit(page)
    await softStep('announces the winner: picture, short name, thanks and both networks', async () => {
      await expect(page.getByText('Señorita Popularidad 2025', { exact: true })).toBeVisible()
      await expect(page.getByRole('heading', { level: 1, name: 'Ximena Agave' })).toBeVisible()
      await expect(page.getByText('¡Felicidades!')).toBeVisible()
      const winner = page.getByRole('region', { name: 'Ximena Agave' })
      await expect(winner.getByText('Edad: 24 años')).toBeVisible()
      await expect(winner.getByText('Cosmetóloga')).toBeVisible()
      await expect(winner.getByText('Piscis')).toBeVisible()
      await expect(winner.getByRole('img', { name: /La ganadora, de perfil/ })).toBeVisible()
      await expect(winner.getByRole('link', { name: 'Facebook' })).toHaveAttribute('target', '_blank')
      await expect(winner.getByRole('link', { name: 'Instagram' })).toHaveAttribute('href', /instagram\.com/)
    })

    await softStep('with less motion the confetti hangs still', async () => {
      await expect(pieces(page)).toHaveCount(60)
      expect(await pieces(page).evaluateAll((all) => all.flatMap((piece) => piece.getAnimations()).length)).toBe(0)
      await expect(page.getByRole('button', { name: 'Más confeti' })).toHaveCount(0)
      // The confetti covers no words, neither the menu's nor the winner's.
      const places = await pieces(page).evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect),
      )
      const header = (await page.getByRole('banner').boundingBox())!
      const words = (await page.getByText('Señorita Popularidad 2025', { exact: true }).boundingBox())!
      for (const { top, bottom } of places) {
        expect(top).toBeGreaterThan(header.y + header.height - 8)
        expect(bottom).toBeLessThan(words.y + 8)
      }
    })

    await softStep(
      'the record that comes with the sample names her, and is counted again in the visitor’s browser',
      async () => {
        await page.getByRole('link', { name: 'Consulta el acta y comprueba tu voto' }).click()
        await expect(page).toHaveURL(/\/misspopularidad\/acta$/)
        await expect(page.getByRole('heading', { level: 1, name: 'Acta de la votación' })).toBeVisible()
        await expect(page.getByRole('row', { name: 'Ximena Agave Montaño 347' })).toBeVisible()
        await expect(page.getByRole('table').getByRole('cell')).toHaveText(['347', '268', '231', '224', '214'])
        await page.getByRole('button', { name: 'Contar de nuevo aquí' }).click()
        await expect(page.getByText(/^Todo coincide: 1,284 papeletas de acta\.json/)).toBeVisible()
        await page.getByRole('textbox', { name: 'Tu recibo' }).fill('7F2K-94QX-M3TR')
        await page.getByRole('button', { name: 'Buscar' }).click()
        await expect(page.getByText('Ningún voto tiene ese recibo.')).toBeVisible()
      },
    )

    await softStep('the results tell organisers why they have no votes beside it', async () => {
      await signIn(context, site, 'admin')
      await page.goto('/misspopularidad-resultados')
      await expect(page.getByText('es la de la muestra, con 1,284 papeletas')).toBeVisible()
    })
  })
})

test('no word of any winner’s name is broken, nor reaches her face', async ({ page, site }) => {
  const cases = ['Valeria Bugambilia', 'Renata Cempasúchil', 'Ximena Agave', 'Fernanda Jacaranda', 'Paola Colorín']
  try {
    for (const shortName of cases) {
      const [first] = shortName.split(' ')
      await site.sql(
        `insert into ajustes (edicion, nombre, valor)
         select 2025, 'votacion.ganadora', jsonb_build_object('candidata', $1::text, 'nombreCorto', $2::text)
         on conflict (edicion, nombre) do update set valor = excluded.valor`,
        [ELECTION.candidatas.find(({ nombre }) => nombre.startsWith(first!))!.id, shortName],
      )
      await page.goto('/misspopularidad')
      await page.evaluate(() => document.fonts.ready.then(() => undefined))
      const title = page.getByRole('heading', { level: 1, name: shortName })
      for (const width of [320, 360, 768, 1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 })
        const words = await title.evaluate(({ firstChild }) =>
          [...firstChild!.textContent!.matchAll(/\S+/g)].map(({ 0: word, index }) => {
            const range = document.createRange()
            range.setStart(firstChild!, index)
            range.setEnd(firstChild!, index + word.length)
            return { word, pieces: range.getClientRects().length, right: range.getBoundingClientRect().right }
          }),
        )
        for (const { word, pieces, right } of words) {
          expect(pieces, `${word} at ${width}`).toBe(1)
          if (width > 900) expect(right, `${word} at ${width}`).toBeLessThan(width * 0.49)
          else expect(right, `${word} at ${width}`).toBeLessThan(width)
        }
      }
    }
  } finally {
    await site.sql(`delete from ajustes where nombre = 'votacion.ganadora'`)
  }
})

test('celebrates with 60 pieces of confetti, for less than five seconds, and again when asked', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.clock.install()
  await page.goto('/misspopularidad')
  await expect(pieces(page)).toHaveCount(60)
  const longest = () =>
    pieces(page).evaluateAll((all) =>
      Math.max(
        ...all.flatMap((piece) =>
          piece.getAnimations().map(({ effect }) => Number(effect!.getComputedTiming().endTime)),
        ),
      ),
    )
  await expect.poll(longest).toBeGreaterThan(2_000)
  expect(await longest()).toBeLessThanOrEqual(5_000)
  await expect(sponsors(page)).toBeHidden()
  await pieces(page).evaluateAll((all) => {
    for (const piece of all) for (const fall of piece.getAnimations()) fall.finish()
  })
  await expect(sponsors(page)).toBeVisible()
  await waitOut(page)
  await close(page).click()
  await page.getByRole('button', { name: 'Más confeti' }).click()
  await expect
    .poll(() =>
      pieces(page).evaluateAll((all) =>
        all.some((one) => one.getAnimations().some(({ playState }) => playState === 'running')),
      ),
    )
    .toBe(true)
})

test('sponsors', async ({ page, expectedErrors }) => {
  expectedErrors.push(/Synchronous XMLHttpRequest/)
  await page.route('**/ocupada', async (route) => {
    await sleep(600)
    await route.fulfill({ body: '' })
  })
  await page.addInitScript(() => {
    const seen: Record<string, number> = {}
    Object.assign(window, { __seen: seen })
    new MutationObserver(() => {
      const dialog = document.querySelector('dialog[open]')
      if (dialog && seen.opened === undefined) {
        seen.opened = performance.now()
        // Simulates other work before the first paint by a slow answer. A loop over the clock would never end, since
        // the test drives the clock.
        const asked = new XMLHttpRequest()
        asked.open('GET', '/ocupada', false)
        asked.send()
        seen.busy = asked.status
        requestAnimationFrame(() => {
          seen.shown = performance.now()
        })
      }
      if (dialog?.querySelector('p:not([hidden]) > button')) seen.closable ??= performance.now()
    }).observe(document, { subtree: true, childList: true, attributeFilter: ['open', 'hidden'] })
  })
  const seen = () => page.evaluate(() => (window as unknown as { __seen: Record<string, number> }).__seen)
  await visit(page)
  await openSponsors(page)

  await softStep('nothing closes their window for 2 s; then the button does', async () => {
    await expect.poll(async () => (await seen()).shown).toBeDefined()
    const { shown } = await seen()
    // A tenth of a second before the window can be closed.
    await page.clock.pauseAt(await page.evaluate((at) => Date.now() + at + 1_900 - performance.now(), shown!))
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 450)
    await page.clock.runFor(50)
    expect(await close(page).count()).toBe(0)
    await expect(sponsors(page)).toBeVisible()
    await page.clock.resume()
    await close(page).click()
    await expect(sponsors(page)).toBeHidden()
    await page.getByRole('button', { name: 'Ver a los patrocinadores' }).click()
    await expect(sponsors(page)).toBeVisible()
  })

  await softStep('the 2 s begin when the window is on the screen, however busy the page is', async () => {
    const { busy, shown, closable } = await seen()
    expect(busy).toBe(200)
    expect(closable! - shown!).toBeGreaterThanOrEqual(2_000)
  })

  await softStep('the sponsors are four, each with a link to its page', async () => {
    const links = sponsors(page).getByRole('link')
    await expect(links).toHaveCount(4)
    for (const link of await links.all()) {
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/www\.(facebook|instagram)\.com\//)
      await expect(link).toHaveAttribute('target', '_blank')
    }
  })

  for (const [name, leave] of [
    ['Escape', () => page.keyboard.press('Escape')],
    ['a click beside it', () => page.mouse.click(5, 450)],
  ] as const)
    await softStep(`after 2 s, ${name} closes it, too`, async () => {
      await waitOut(page)
      await leave()
      await expect(sponsors(page)).toBeHidden()
      await page.getByRole('button', { name: 'Ver a los patrocinadores' }).click()
      await expect(sponsors(page)).toBeVisible()
    })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('winner and sponsors are there', async ({ page }) => {
    await page.goto('/misspopularidad')
    await expect(page.getByRole('heading', { level: 1, name: 'Ximena Agave' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Gracias a nuestros patrocinadores' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Cerrar' })).toHaveCount(0)
  })
})

test('no winner is named before the deadline', async ({ request, trialSite }) => {
  await trialSite.at('2025-09-25T23:00-06:00')
  const said = await (await request.get(`${trialSite.url}/misspopularidad`)).text()
  const titles = said.match(/<h1[ >].*?<\/h1>/gs)
  expect(titles).toHaveLength(1)
  expect(titles![0]).not.toContain('Ximena')
  expect(said).not.toContain('¡Felicidades!')
})

test('fits any screen and holds up against axe, with the window and without', async ({ page }) => {
  await visit(page)
  await openSponsors(page)
  const widths = [320, 390, 1440]
  for (const width of widths)
    await softStep(`holds up against axe at ${width} px with the window`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await expectAccessible(page)
    })
  await waitOut(page)
  await close(page).click()
  await expect(sponsors(page)).toBeHidden()
  for (const width of widths)
    await softStep(`fits ${width} px and holds up against axe without the window`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    })
})
