import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { readFinalRecord } from '#app/finals/record/data.server.ts'
import { closeRound, openRound, sealFinalRecord, signSheet } from '#app/finals/record/mutations.server.ts'
import { activeCandidateIds, openRoundOf } from '#app/finals/record/state.ts'
import { expectAccessible } from '../../e2e/accessible.ts'
import { servicesOn, signIn } from '../../e2e/accounts.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { expectReadable } from '../../e2e/whole-screen.ts'

const TABLE = '/organizadores/final'
const EDITION = 2025
const nameOf = (page: Page, judge: number) => page.getByRole('textbox', { name: `Jurado ${judge}` })

test('a judge’s name typed at the table stays through a reload, another press, and the question for the password', async ({
  page,
  browser,
  expectedErrors,
}) => {
  // The question for the password answers 401.
  expectedErrors.push(/status of 401/)
  const site = await Site.start()
  try {
    await signIn(page.context(), site, 'notaria')
    await page.goto(site.url + TABLE)
    await hydrated(page)
    await nameOf(page, 2).fill('Licha Robles')
    await nameOf(page, 4).fill('Don Chuy')
    await page.reload()
    await expect(nameOf(page, 2)).toHaveValue('Licha Robles')
    await site.sql(`update sessions set confirmada_at = now() - interval '2 hours'`)
    await page.getByRole('form', { name: 'Jurado 1' }).getByRole('button', { name: 'Hacer su enlace' }).click()
    await expect(page.getByLabel('Contraseña', { exact: true })).toBeVisible()
    await page.goto(site.url + TABLE)
    await expect(nameOf(page, 4)).toHaveValue('Don Chuy')
    // The press has saved them: another browser, without JavaScript, has them too, and loses nothing in its turn.
    const context = await browser.newContext({ javaScriptEnabled: false })
    await signIn(context, site, 'notaria')
    const other = await context.newPage()
    await other.goto(site.url + TABLE)
    await expect(nameOf(other, 2)).toHaveValue('Licha Robles')
    await nameOf(other, 5).fill('Doña Cuca')
    await other.getByRole('form', { name: 'Jurado 1' }).getByRole('button', { name: 'Hacer su enlace' }).click()
    await expect(other.getByText('Enlace hecho.')).toBeVisible()
    await expect(nameOf(other, 5)).toHaveValue('Doña Cuca')
    await context.close()
  } finally {
    await site.stop()
  }
})

test('a rehearsal thrown away is one line; a tie for the crown has another round; the card says what to say', async ({
  page,
  browser,
}) => {
  const site = await Site.start()
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const card = await context.newPage()
  const heading = (name: string) => expect(card.getByRole('heading', { level: 1, name })).toBeVisible()
  /** All judges sign the same sheet in the open round, which then closes. */
  const judgeRound = (ronda: number, score: (at: number) => number) =>
    servicesOn(site, async (services) => {
      const { final } = (await readFinalRecord(services, EDITION)).state
      const ids = activeCandidateIds(final!, openRoundOf(final!)!)
      const sheet = Object.fromEntries(ids.map((id, at) => [id, [score(at), score(at)]]))
      for (const juez of [1, 2, 3, 4, 5])
        await signSheet(
          services,
          { edition: EDITION, roundNumber: ronda, judgeNumber: juez, idempotencyKey: randomUUID() },
          sheet,
          TERMINAL,
        )
      expect(await closeRound(services, EDITION, ronda, new Map(), TERMINAL)).toMatchObject({ ok: true })
    })
  const open = async () => {
    await page.getByLabel('Entiendo que las reglas y las candidatas quedan selladas').check()
    await page.getByRole('button', { name: 'Abrir la final' }).click()
    await expect(page.getByRole('button', { name: 'Abrir la ronda 1:' })).toBeVisible()
  }
  try {
    await signIn(page.context(), site, 'notaria')
    await signIn(context, site, 'notaria')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(site.url + TABLE)
    await hydrated(page)
    await page.getByRole('button', { name: 'Hacer los 5 enlaces que faltan' }).click()
    await expect(page.getByText('Enlaces hechos: 5.')).toBeVisible()
    // Each link stands at its judge's place, and the first takes the focus; the names keep a line of their own.
    const place = page.getByRole('listitem').filter({ has: page.getByRole('form', { name: 'Jurado 1' }) })
    await expect(place.getByRole('region', { name: 'Enlace para Jurado 1' })).toBeFocused()
    await expect(place.getByRole('link', { name: 'Mandar por WhatsApp' })).toHaveAttribute(
      'href',
      /^https:\/\/wa\.me\/\?text=Jurado%201.*%23/,
    )
    await expect(place.getByRole('link', { name: 'Mandar por WhatsApp' })).toBeInViewport()
    expect((await nameOf(page, 1).boundingBox())!.width).toBeGreaterThan(250)
    await expectAccessible(page)
    await open()
    await page.getByText('Si algo sale de lo previsto').click()
    await servicesOn(site, async (services) => {
      expect(await openRound(services, EDITION, 1, TERMINAL)).toMatchObject({ ok: true })
    })
    await judgeRound(1, () => 80)
    const refusal = await page.request.post(`${site.url}${TABLE}`, {
      form: { hacer: 'anular-ensayo' },
      headers: { origin: site.url },
    })
    expect(await refusal.text()).toContain('Marca la casilla que dice qué ya no se podrá cambiar')
    await page.getByLabel('Hay 5 hojas firmadas: se quedan fuera').check()
    await page.getByRole('button', { name: 'Era un ensayo: anularlo' }).click()
    await expect(page.getByText(/^Hubo un ensayo el .+, que se anuló antes de la final\.$/)).toBeVisible()
    await nameOf(page, 3).fill('Licha Robles')
    await open()
    await page.getByRole('link', { name: 'Tarjeta de quien conduce' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Presentación' })).toBeVisible()
    await page.getByRole('link', { name: 'Volver a la mesa' }).click()
    await card.goto(`${site.url}${TABLE}/tarjeta`)
    await heading('Presentación')
    await page.getByRole('button', { name: 'Abrir la ronda 1:' }).click()
    await expect(card.getByText('El jurado está calificando.')).toBeVisible()
    await expect(page.getByRole('heading', { level: 3, name: 'Licha Robles' })).toBeVisible()
    const tie = (at: number) => (at < 2 ? 90 : 70)
    await judgeRound(1, tie)
    await heading('Traje típico')
    for (const ronda of [2, 3, 4]) {
      await servicesOn(site, (services) => openRound(services, EDITION, ronda, TERMINAL))
      await judgeRound(ronda, tie)
    }
    await heading('El jurado ya calificó')
    await expect(card.getByRole('listitem')).toHaveCount(0)
    await expect(page.getByRole('heading', { name: 'Empate por la corona' })).toBeVisible()
    await page.getByRole('button', { name: 'Abrir una ronda de desempate' }).click()
    await expect(page.getByText('Ronda 5 de 5')).toBeVisible()
    await heading('Desempate por la corona')
    expect(await card.getByRole('listitem').count()).toBe(2)
    await judgeRound(5, (at) => 70 + at * 10)
    await servicesOn(site, (services) => sealFinalRecord(services, EDITION, TERMINAL))
    await heading('Los títulos')
    const [queen] = await card.getByRole('listitem').filter({ hasText: 'Señorita Azahares' }).allTextContents()
    expect((await card.getByRole('listitem').allTextContents()).at(-1)).toBe(queen)
    await expect(card.getByText(/\d\.\d{3}/)).toHaveCount(0)
    await expectReadable(card)
    await expectAccessible(card)
    await page.goto(`${site.url}/final/acta`)
    await expect(page.getByRole('heading', { name: '5. Desempate por la corona' })).toBeVisible()
    await expect(page.getByText(/npm run escrutinio/)).toBeHidden()
    await page.getByText('Para quien sabe').click()
    await expect(page.getByText(/npm run escrutinio/)).toBeVisible()
    await expect(page.getByText(/^Hubo un ensayo/)).toHaveCount(1)
    await expect(page.getByText('Antes se anuló otra apertura')).toHaveCount(0)
  } finally {
    await context.close()
    await site.stop()
  }
})
