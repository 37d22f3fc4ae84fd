import { rm } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible } from '../../e2e/accessible.ts'
import { PASSWORD, signIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { copyBuilt } from '../../support/site/project-copy.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, actionTimeout: 20_000 })

const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 80"><circle cx="40" cy="40" r="30" fill="#e8b04a"/><text x="86" y="52" font-size="36" fill="#fff">Nopalitos</text></svg>'

const phonePhoto = (background: string) =>
  sharp({ create: { width: 1800, height: 2400, channels: 3, background } })
    .jpeg({ quality: 60 })
    .toBuffer()

/** A volunteer at her phone: she reads the screen, and taps. */
class Volunteer {
  readonly page: Page
  readonly url: string
  constructor(page: Page, { url }: Site) {
    this.page = page
    this.url = url
  }

  async openEditor(): Promise<void> {
    await this.page.goto(`${this.url}/organizadores`)
    await this.tap(this.page.getByRole('link', { name: 'El sitio', exact: true }))
    await expect(this.page.getByRole('heading', { level: 1, name: 'El sitio' })).toBeVisible()
  }

  /** Opens a screen's form from the list. */
  async edit(title: string): Promise<void> {
    await this.openEditor()
    await this.tap(this.page.getByRole('link', { name: `Editar ${title}`, exact: true }))
    await expect(this.page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await this.page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  }

  /** Taps an element that is large enough for a thumb. */
  async tap(what: Locator): Promise<void> {
    await what.scrollIntoViewIfNeeded()
    const height = async () => (await what.boundingBox())?.height
    await expect.poll(height, String(what)).toBeGreaterThanOrEqual(43)
    await what.tap()
  }

  async write(within: Locator | Page, fields: Record<string, string>): Promise<void> {
    for (const [label, text] of Object.entries(fields)) {
      const field = within.getByLabel(label, { exact: true })
      await this.tap(field)
      await field.fill(text)
    }
  }

  async expectSaved(): Promise<void> {
    await expect(this.page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible({ timeout: 20_000 })
    // The message may be about earlier text: edits that the site does not have yet are in local storage.
    const waiting = () =>
      this.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('certamen.redaccion.')))
    await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  }

  async choosePhoto(field: Locator, file: string | Buffer, alt: string): Promise<void> {
    const chooser = field.locator('input[type="file"]')
    await chooser.setInputFiles(
      typeof file === 'string' ? file : { name: 'IMG_2041.JPG', mimeType: 'image/jpeg', buffer: file },
    )
    await expect(field.getByRole('button', { name: /^Punto que siempre se ve/ })).toBeVisible({ timeout: 30_000 })
    await field.getByRole('textbox', { name: /^Texto alternativo/ }).fill(alt)
  }

  async publish(note: string): Promise<void> {
    await this.openEditor()
    await this.tap(this.page.getByRole('link', { name: 'Publicar', exact: true }))
    await expect(this.page.getByRole('heading', { name: 'Antes de publicar, arregla esto' })).toHaveCount(0)
    await this.write(this.page, { 'Nota para la historia (opcional)': note })
    await this.tap(this.page.getByRole('button', { name: 'Publicar', exact: true }))
    await expect(this.page.getByText(/^Publicado\. Ya lo ve quien visita el sitio/)).toBeVisible({ timeout: 60_000 })
  }
}

test('a volunteer’s year, by thumb', async ({ page, browser, expectedErrors }) => {
  // The question for the password answers 401.
  expectedErrors.push(/status of 401/)
  // A year of publications takes long, since each is prepared and previewed.
  test.setTimeout(480_000)
  // A withdrawal deletes generated pictures, so the site runs in a copy.
  const copy = await copyBuilt()
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' }, copy)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL: site.url })
  const visitor = await context.newPage()
  try {
    await signIn(page.context(), site, 'admin')
    const volunteer = new Volunteer(page, site)

    await test.step('changes a word', async () => {
      await volunteer.edit('Historia y reina')
      await volunteer.write(page, { Estudios: 'Ingeniería Civil' })
      await volunteer.expectSaved()
    })

    await test.step('replaces a photograph by one of her iPhone', async () => {
      await volunteer.edit('Portada')
      await volunteer.choosePhoto(
        page.locator('[data-field-key="inicio.galeria.0"]'),
        'tests/samples/foto.heic',
        'Flores en la mesa',
      )
      await volunteer.expectSaved()
    })

    await test.step('adds a news item', async () => {
      const news = page.getByRole('region', { name: /^Noticias/ })
      await volunteer.tap(news.getByRole('button', { name: 'Agregar noticia' }))
      const newOne = news.getByRole('listitem').last()
      await volunteer.write(newOne, { Título: 'Llegó el carrusel', Texto: 'Desde hoy da vueltas en la plaza.' })
      await volunteer.choosePhoto(newOne, await phonePhoto('#a13f6b'), 'El carrusel encendido en la plaza')
      await volunteer.expectSaved()
      await expectAccessible(volunteer.page)
    })

    await test.step('adds a sponsor', async () => {
      await volunteer.edit('Patrocinadores')
      await volunteer.tap(page.getByRole('button', { name: 'Agregar patrocinador' }))
      const newOne = page
        .getByRole('region', { name: /^Patrocinadores/ })
        .getByRole('listitem')
        .last()
      await volunteer.write(newOne, {
        Nombre: 'Nopalitos del Valle',
        'Su página': 'https://www.facebook.com/nopalitos',
      })
      await newOne
        .locator('input[type="file"]')
        .setInputFiles({ name: 'Nopalitos.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(MARK) })
      await expect(newOne.getByRole('img', { name: /^Logotipo que está puesto/ })).toBeVisible({ timeout: 20_000 })
      await volunteer.expectSaved()
    })

    await test.step('adds a sixth candidate', async () => {
      await volunteer.edit('Candidatas')
      await volunteer.tap(page.getByRole('button', { name: 'Agregar candidata' }))
      const newOne = page
        .locator('#formulario')
        .getByRole('listitem')
        .filter({ has: page.getByLabel('Signo') })
      await volunteer.write(newOne, {
        'Nombre completo': 'Guadalupe Nopal Rentería',
        Edad: '21',
        'De dónde es': 'La Ceja',
        'Qué estudia o a qué se dedica': 'Arquitectura',
        Signo: 'Tauro',
        Pasatiempos: 'Cantar y nadar',
        Semblanza: 'Dibuja las casas de su barrio. Canta en el coro.',
      })
      await newOne.getByLabel('Cumpleaños: día').selectOption('3')
      await newOne.getByLabel('Cumpleaños: mes').selectOption('mayo')
      const silhouette = newOne.locator('[data-field-key$=".silueta"]')
      await volunteer.choosePhoto(silhouette, await phonePhoto('#1c2b4a'), 'Silueta de Guadalupe ante una luz azul')
      const first = newOne.locator('[data-field-key$=".galeria.0"]')
      await volunteer.choosePhoto(first, await phonePhoto('#3a6b2f'), 'Guadalupe sonríe bajo los arcos')
      await volunteer.expectSaved()
      await expectAccessible(volunteer.page)
    })

    await test.step('publishes, and a visitor sees all of it', async () => {
      await volunteer.publish('Lo de septiembre')
      await visitor.goto('/nuestra-historia')
      await expect(visitor.getByText('Ingeniería Civil')).toBeVisible()
      await visitor.goto('/')
      await expect(visitor.getByRole('img', { name: 'Flores en la mesa' }).first()).toBeAttached()
      await visitor.locator('html[data-hydrated]').waitFor({ state: 'attached' })
      await visitor.getByRole('button', { name: 'Noticia 4 de 4' }).click()
      await expect(visitor.getByRole('heading', { name: 'Llegó el carrusel' })).toBeVisible()
      await expect(visitor.getByRole('link', { name: /Nopalitos del Valle/ }).first()).toBeAttached()
      await visitor.goto('/candidatas')
      await expect(visitor.getByText('Guadalupe Nopal Rentería').first()).toBeAttached()
      await visitor.goto('/misspopularidad')
      await expect(visitor.getByRole('button', { name: /^Votar por/ })).toHaveCount(6)
      await expect(visitor.getByRole('button', { name: /^Votar por Guadalupe Nopal/ })).toBeAttached()
    })

    await test.step('takes the publication back', async () => {
      await volunteer.openEditor()
      await volunteer.tap(page.getByRole('link', { name: 'Historia', exact: true }))
      const first = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Lo que trae el sitio' })
      await volunteer.tap(first.getByRole('link', { name: 'Ver qué cambiaría' }))
      await expectAccessible(volunteer.page)
      await volunteer.tap(first.getByRole('button', { name: /^Regresar/ }))
      await expect(page.getByText('Listo: el sitio vuelve a ese momento en unos segundos.')).toBeVisible()
      await expect
        .poll(async () => (await visitor.request.get('/nuestra-historia')).text(), { timeout: 60_000 })
        .toContain('Ingeniería en Alimentos')
      await visitor.goto('/misspopularidad')
      await expect(visitor.getByRole('button', { name: /^Votar por/ })).toHaveCount(5)
    })

    await test.step('withdraws a candidate, and says first who she is', async () => {
      await volunteer.edit('Candidatas')
      await volunteer.tap(page.getByRole('link', { name: 'Retirar a una candidata' }))
      await expect(page.getByRole('heading', { level: 1, name: 'Retirar a una candidata' })).toBeVisible()
      await site.sql(`update sessions set confirmada_at = now() - interval '1 hour'`)
      await volunteer.tap(page.getByText('Retirar a Paola', { exact: false }))
      await volunteer.tap(page.getByText('Entiendo que todo lo de Paola'))
      await expectAccessible(volunteer.page)
      await volunteer.tap(page.getByRole('button', { name: 'Retirar', exact: true }))
      await volunteer.write(page, { Contraseña: PASSWORD })
      await volunteer.tap(page.getByRole('button', { name: 'Confirmar y continuar' }))
      await expect(page.getByText(/^Listo: su perfil, sus fotografías/)).toBeVisible({ timeout: 60_000 })
      await expect
        .poll(async () => (await visitor.request.get('/candidatas')).text(), { timeout: 60_000 })
        .not.toContain('Paola')
    })

    await test.step('lays out next year and opens it; this year keeps a screen', async () => {
      await volunteer.openEditor()
      await volunteer.tap(page.getByRole('link', { name: 'Ediciones', exact: true }))
      await volunteer.tap(page.getByRole('button', { name: 'Preparar 2026' }))
      await expect(page.getByRole('heading', { name: 'Abrir la edición 2026' })).toBeVisible()
      await expectAccessible(volunteer.page)
      await volunteer.tap(page.getByRole('button', { name: 'Abrir la edición 2026' }))
      await expect(page.getByRole('heading', { name: 'Historia de publicaciones' })).toBeVisible()
      await expect
        .poll(async () => (await visitor.request.get('/')).text(), { timeout: 60_000 })
        .toContain('Señorita Azahares 2026')
      await visitor.goto('/ediciones/2025')
      await expect(visitor.getByRole('heading', { level: 1, name: 'Señorita Azahares 2025' })).toBeVisible()
    })
  } finally {
    await page.goto('about:blank')
    await context.close()
    await site.stop()
    await rm(copy, { recursive: true, force: true })
  }
})
