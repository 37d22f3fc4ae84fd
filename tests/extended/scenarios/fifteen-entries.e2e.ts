import type { Locator, Page } from '@playwright/test'
import { signIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, actionTimeout: 15_000 })

const ENTRY_COUNT = 15
/** Touches for an entry, from the press that opens it to its decision. */
const MAX_TAPS = 8
const DOCUMENTS = 6
/** Size of a row, a tile or a button for a thumb. */
const THUMB_PX = 44

/** A volunteer at her phone, with the number of touches for the current entry. */
class Volunteer {
  readonly page: Page
  taps = 0
  constructor(page: Page) {
    this.page = page
  }

  async tap(what: Locator): Promise<void> {
    await expect(what).toBeVisible()
    const box = (await what.boundingBox())!
    expect(box.height, String(what)).toBeGreaterThanOrEqual(THUMB_PX - 1)
    this.taps++
    await what.tap()
  }

  /** Swipes the document with one finger. */
  async swipe(): Promise<void> {
    this.taps++
    const cdp = await this.page.context().newCDPSession(this.page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 400 }] })
    await touch('touchStart', 300)
    // As fast as a thumb: Chromium takes a faster move for a fling, and the next touch for its stop.
    for (let step = 1; step <= 8; step++) {
      await touch('touchMove', 300 - step * 26)
      await this.page.waitForTimeout(16)
    }
    // The finger rests before it leaves, so that a busy machine does not make a fling of the last steps.
    await this.page.waitForTimeout(120)
    await touch('touchMove', 300 - 8 * 26)
    await touch('touchEnd')
    await cdp.detach()
    // The thumb moves back.
    await this.page.waitForTimeout(400)
  }

  /** Waits until the document on the screen has loaded whole. */
  async look(name: string | RegExp): Promise<void> {
    const shown = this.page.getByRole('img', { name })
    await expect
      .poll(() => shown.evaluate((one: HTMLImageElement) => one.naturalWidth).catch(() => 0))
      .toBeGreaterThan(0)
    // The screen may still be scrolling.
    await expect(async () => {
      const box = (await shown.boundingBox())!
      expect(box.y).toBeGreaterThanOrEqual(0)
      expect(box.y + box.height).toBeLessThanOrEqual(844)
    }).toPass({ timeout: 15_000 })
  }
}

test(`${ENTRY_COUNT} entries of six documents are decided by thumb, ${MAX_TAPS} touches each at most`, async ({
  page,
}, info) => {
  test.setTimeout(15 * 60_000)
  // A separate site, where no other entry waits.
  const site = await Site.start()
  await sow(
    site,
    Array.from({ length: ENTRY_COUNT }, (_, at) => ({
      titular: `Candidata Número ${at + 1}`,
      createdAt: new Date(Date.now() - (ENTRY_COUNT - at) * 60_000),
      celular: `33 4444 ${1000 + at}`,
    })),
  )
  await signIn(page.context(), site, 'admin')
  await page.goto(`${site.url}/organizadores?estado=recibida`)
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  const volunteer = new Volunteer(page)
  const began = Date.now()
  const taps: number[] = []

  for (let at = 0; at < ENTRY_COUNT; at++) {
    volunteer.taps = 0
    const titular = `Candidata Número ${ENTRY_COUNT - at}`
    if (at === 0) {
      await volunteer.tap(page.getByRole('row').filter({ hasText: titular }).first())
      await expect(page.getByRole('heading', { level: 1, name: titular, exact: true })).toBeVisible()
      await volunteer.tap(page.getByRole('listitem').filter({ hasText: 'Acta de nacimiento' }))
    } else await volunteer.tap(page.getByRole('link', { name: 'Siguiente que espera' }))
    await expect(page.getByRole('heading', { level: 1, name: titular, exact: true })).toBeAttached()

    // All documents but the swimsuit photograph, which takes an extra press; she opens it for every third entry.
    for (const name of [/^Acta/, /frente/, /reverso/, /^Constancia/, /^Foto de rostro/]) {
      await volunteer.look(name)
      if (!String(name).includes('rostro')) await volunteer.swipe()
    }
    if (at % 3 === 1) {
      await volunteer.swipe()
      await volunteer.tap(page.getByRole('link', { name: 'Mostrar la fotografía' }))
      await volunteer.look(/^Foto de cuerpo/)
    }
    await volunteer.tap(page.getByRole('button', { name: at % 5 === 4 ? 'Rechazar' : 'Aceptar' }))
    await expect(page.getByRole('region', { name: 'Decisión' }).getByRole('status')).toHaveText(
      at % 5 === 4 ? 'Listo: quedó rechazada.' : 'Listo: quedó aceptada.',
    )
    taps.push(volunteer.taps)
  }
  const minutes = (Date.now() - began) / 60_000
  info.annotations.push({ type: 'toques', description: taps.join(' ') })
  console.log(
    `${ENTRY_COUNT} inscripciones de ${DOCUMENTS} documentos: toques ${taps.join(' ')}, ${minutes.toFixed(1)} min`,
  )
  expect(Math.max(...taps)).toBeLessThanOrEqual(MAX_TAPS)
  // No entry is left to decide.
  await expect(page.getByRole('link', { name: 'Volver a la lista' })).toBeVisible()
  const rows = await site.sql<{ estado: string; cuantas: number }>(
    "select estado, count(*) as cuantas from inscripciones where titular like 'Candidata Número%' group by estado order by 1",
  )
  expect(rows).toEqual([
    { estado: 'aceptada', cuantas: 12 },
    { estado: 'rechazada', cuantas: 3 },
  ])
  // A thumbnail does not count as opened: the audit log has one line for each opened document only.
  const [looks] = await site.sql<{ cuantas: number }>(
    "select count(*) as cuantas from bitacora where que = 'documento.visto'",
  )
  expect(looks!.cuantas).toBe(ENTRY_COUNT * (DOCUMENTS - 1) + ENTRY_COUNT / 3)
  await site.stop()
})
