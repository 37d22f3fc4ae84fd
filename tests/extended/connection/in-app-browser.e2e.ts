import type { BrowserContext, Locator, Page } from '@playwright/test'
import {
  button,
  chooseDocuments,
  fillFields,
  goToRegistration,
  hydrated,
  photo,
  storedOnDevice,
} from '../../e2e/registration-form.ts'
import { expect, type Site } from '../../e2e/site.ts'
import { testDuringVoting as test, vote } from '../../e2e/voting-days.ts'

// Simulates the in-app browsers of Facebook and WhatsApp on a phone: features they lack.
test.use({
  // The router reports that it may not store scroll positions, and goes on.
  expectedErrors: [[/status of 4\d\d/, /The operation is insecure/], { scope: 'test' }],
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  acceptDownloads: false,
})

const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
const votes = (site: Site) => site.sql('select candidata from banda_digital_votes')

/** Such a browser opens a new window's address in the same window. */
const withoutWindows = (context: BrowserContext) =>
  context.addInitScript(() => {
    Object.assign(window, { open: () => null })
    addEventListener('click', (event) => {
      const link = event.target instanceof Element && event.target.closest('a[target]')
      if (link) link.removeAttribute('target')
    })
  })

/** No storage, no sharing, no clipboard. */
const withoutAnything = (context: BrowserContext) =>
  context.addInitScript(() => {
    const refuse = {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      },
    }
    for (const name of ['indexedDB', 'localStorage', 'sessionStorage', 'caches'])
      Object.defineProperty(window, name, refuse)
    for (const name of ['share', 'clipboard', 'locks', 'serviceWorker'])
      Object.defineProperty(navigator, name, { value: undefined })
  })

async function enter(page: Page, site: Site, email: string) {
  const asked = (await site.mails(email, 'codigo')).length
  await vote(page).getByRole('textbox', { name: 'Correo electrónico' }).fill(email)
  await vote(page).getByRole('button', { name: 'Enviarme el código' }).tap()
  return site.code(email, asked + 1)
}

test('no new windows: a link that asks for one leads away, and Back to what was typed', async ({ page, context }) => {
  await withoutWindows(context)
  await context.route('https://www.google.com/**', (route) => route.fulfill({ body: 'Mapa', contentType: 'text/html' }))
  await goToRegistration(page)
  await page.getByLabel('Nombre', { exact: true }).fill('Ana Encino Prueba')
  await page.getByLabel('Acta de Nacimiento', { exact: true }).setInputFiles(photo('acta.jpg'))
  await expect.poll(() => storedOnDevice(page)).toEqual([1, 1])
  await page.getByRole('link', { name: 'Cómo llegar' }).tap()
  await expect(page.getByText('Mapa')).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue('Ana Encino Prueba')
  await expect(page.getByText('acta.jpg', { exact: true })).toBeVisible()
  expect(context.pages()).toHaveLength(1)
})

test('no Web Share, no clipboard: the menu of links, and the address to be read', async ({ page, context }) => {
  await withoutAnything(context)
  const sponsors = page.getByRole('dialog', { name: 'Gracias a nuestros patrocinadores' })
  await page.addLocatorHandler(sponsors, () => sponsors.getByRole('button', { name: 'Cerrar' }).click())
  await page.goto('/misspopularidad')
  await hydrated(page)
  const card = page.getByRole('listitem').filter({ hasText: 'Paola' })
  await card.getByRole('button', { name: 'Compartir' }).tap()
  await expect(card.getByRole('link', { name: 'WhatsApp' })).toBeVisible()
  await card.getByRole('button', { name: 'Copiar enlace' }).tap()
  await expect(card.getByRole('status')).toContainText(
    /No se pudo copiar\. El enlace es http.*vote=4&candidata=paola-colorin-vega/,
  )
})

test('nothing can be kept: six files arrive all the same, and the folio leads to them', async ({ page, context }) => {
  await withoutAnything(context)
  await goToRegistration(page)
  await fillFields(page, { nombre: 'Julia Encino Prueba' })
  await chooseDocuments(page)
  await button(page).tap()
  await expect(good(page)).toBeVisible()
  const folio = (await page
    .getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    .first()
    .textContent())!

  // Without a download or a message, the folio that the visitor read finds the entry from any other window.
  await context.clearCookies()
  await page.goto('/folio')
  await page.getByLabel('Folio', { exact: true }).fill(folio)
  await page.getByRole('button', { name: 'Consultar' }).tap()
  await expect(page.getByRole('heading', { name: /Recibida|En revisión|Recibido/ })).toBeVisible()
})

test('nothing can be kept: a vote is entered by its code, and counts once', async ({ page, context, votingSite }) => {
  await withoutAnything(context)
  const email = `nada${Date.now()}@correo.mx`
  const before = (await votes(votingSite)).length
  await page.goto('/misspopularidad?vote=2')
  const code = await enter(page, votingSite, email)
  await vote(page).getByRole('textbox', { name: 'Código de seis dígitos' }).fill(code)
  await vote(page).getByRole('button', { name: 'Confirmar mi voto' }).tap()
  await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  expect(await votes(votingSite)).toHaveLength(before + 1)
})

test('storage emptied between visits: another code is asked for, and the second vote is refused', async ({
  browser,
  votingSite,
}) => {
  const email = `olvido${Date.now()}@correo.mx`
  const before = (await votes(votingSite)).length
  const visit = async () => (await browser.newContext({ baseURL: votingSite.url, hasTouch: true })).newPage()
  // The visitor leaves for the mail; the link in the chat opens the page anew.
  const first = await visit()
  await first.goto('/misspopularidad?vote=1')
  await enter(first, votingSite, email)
  await first.context().close()
  for (const heading of ['¡Gracias! Tu voto ha sido registrado.', 'Ya has votado con este correo.']) {
    const again = await visit()
    await again.goto('/misspopularidad?vote=1')
    await expect(vote(again).getByRole('heading')).toHaveText('Renata Cempasúchil Nava')
    const code = await enter(again, votingSite, email)
    await vote(again).getByRole('textbox', { name: 'Código de seis dígitos' }).fill(code)
    await vote(again).getByRole('button', { name: 'Confirmar mi voto' }).tap()
    await expect(vote(again).getByRole('heading')).toHaveText(heading)
    await again.context().close()
  }
  expect(await votes(votingSite)).toHaveLength(before + 1)
})

test('a keyboard over half the screen: the field and the button below it stay in reach', async ({ page }) => {
  /** @param box the visible part of a field that is cut off on purpose */
  const typing = async (field: Locator, button: Locator, box = field) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await field.tap()
    await page.setViewportSize({ width: 360, height: 340 })
    await expect(field).toBeFocused()
    // A phone scrolls the field into view by itself, so that has to be possible.
    await field.scrollIntoViewIfNeeded()
    await expect(box).toBeInViewport({ ratio: 0.98 })
    await button.scrollIntoViewIfNeeded()
    await expect(button).toBeInViewport({ ratio: 0.98 })
    // Nothing covers the button.
    await button.tap({ trial: true })
  }
  await page.goto('/misspopularidad?vote=2')
  await hydrated(page)
  await typing(
    vote(page).getByRole('textbox', { name: 'Correo electrónico' }),
    vote(page).getByRole('button', { name: 'Enviarme el código' }),
  )
  await vote(page).getByRole('textbox').fill(`teclado${Date.now()}@correo.mx`)
  await vote(page).getByRole('button', { name: 'Enviarme el código' }).tap()
  await typing(
    vote(page).getByRole('textbox', { name: 'Código de seis dígitos' }),
    vote(page).getByRole('button', { name: 'Confirmar mi voto' }),
    // The code's cells, without the field's space behind the last digit.
    vote(page).getByRole('textbox', { name: 'Código de seis dígitos' }).locator('..'),
  )
  for (const path of ['/registro', '/registro-traje-tipico']) {
    await page.goto(path)
    await hydrated(page)
    await typing(page.getByRole('textbox', { name: 'Celular', exact: true }), button(page))
  }
})

test('a file picker that kills the page: the new page is offered the draft', async ({ context, votingSite }) => {
  const name = 'Irma Encino Prueba'
  const killed = await context.newPage()
  await goToRegistration(killed)
  await fillFields(killed, { nombre: name })
  await killed.getByLabel('Acta de Nacimiento', { exact: true }).setInputFiles(photo('acta.jpg'))
  await expect.poll(() => storedOnDevice(killed)).toEqual([1, 1])
  const chooser = killed.waitForEvent('filechooser')
  await killed.getByLabel('Foto Rostro', { exact: true }).click()
  await chooser
  const crashed = killed.waitForEvent('crash')
  const session = await context.newCDPSession(killed)
  void session.send('Page.crash').catch(() => {})
  await crashed
  await killed.close()

  const back = await context.newPage()
  await goToRegistration(back)
  await back.getByRole('button', { name: 'Continuar donde me quedé' }).click()
  await expect(back.getByLabel('Nombre', { exact: true })).toHaveValue(name)
  await expect(back.getByText('acta.jpg', { exact: true })).toBeVisible()
  await chooseDocuments(back)
  await button(back).click()
  await expect(good(back)).toBeVisible()
  expect(await votingSite.sql('select 1 from registros where nombre = $1', [name])).toHaveLength(1)
})

test('a file picker that kills no page gives no other tab the draft', async ({ context }) => {
  const first = await context.newPage()
  await goToRegistration(first)
  const chooser = first.waitForEvent('filechooser')
  await first.getByLabel('Foto Rostro', { exact: true }).click()
  await (await chooser).setFiles(photo('rostro.jpg'))
  await expect.poll(() => storedOnDevice(first)).toEqual([1, 1])
  await first.close()
  const second = await context.newPage()
  await goToRegistration(second)
  await second.getByLabel('Foto Rostro', { exact: true }).setInputFiles(photo('otra.jpg'))
  // Both drafts are there, each with its tab, and neither tab was offered the other's.
  await expect.poll(() => storedOnDevice(second)).toEqual([2, 2])
  await expect(second.getByRole('button', { name: 'Continuar donde me quedé' })).toHaveCount(0)
})
