import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { button, chooseDocuments, documents, fillFields, hydrated } from '../../e2e/registration-form.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, actionTimeout: 20_000 })

const CHECKBOX_LABEL = 'Si me aceptan, pueden publicar mi fotografía de rostro en el sitio'

/** A photograph as a phone takes it, with a place in its metadata. */
const portrait = (background: string) =>
  sharp({ create: { width: 1600, height: 2000, channels: 3, background } })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '20/1 40/1 0/1' } })
    .jpeg()
    .toBuffer()

async function registrar(page: Page, site: Site, name: string, hasPhotoConsent: boolean) {
  await page.goto(`${site.url}/registro`)
  await hydrated(page)
  await fillFields(page, { nombre: name })
  const face = { name: 'rostro.jpg', mimeType: 'image/jpeg', buffer: await portrait('#8a5a3c') }
  await chooseDocuments(page, { ...documents(), facePhoto: face })
  const checkbox = page.getByRole('checkbox', { name: CHECKBOX_LABEL })
  await expect(checkbox).not.toBeChecked()
  await expect(checkbox).toHaveAccessibleDescription(/Es opcional.+cuerpo entero no se publica nunca/)
  if (hasPhotoConsent) {
    await checkbox.check()
    await expectAccessible(page)
    // The draft on the device keeps the tick, too.
    await checkbox.blur()
    await page.reload()
    await hydrated(page)
    await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
    await expect(checkbox).toBeChecked()
  }
  await button(page).click()
  await expect(page.getByText('Registro exitoso.')).toBeVisible()
  await expect(checkbox).not.toBeChecked()
}

/** Accepts an entry and makes it a candidate. */
async function makeCandidate(page: Page, site: Site, name: string, notice: RegExp) {
  await page.goto(`${site.url}/organizadores`)
  await page.getByRole('link', { name }).click()
  await expect(page.getByRole('button', { name: 'Hacerla candidata del sitio' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Aceptar', exact: true }).click()
  await expect(page.getByText('Listo: quedó aceptada.')).toBeVisible()
  await page.getByRole('button', { name: 'Hacerla candidata del sitio' }).click()
  await expect(page.getByText(notice)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Completar su ficha' })).toBeVisible()
  await expectAccessible(page)
}

const field = (page: Page, at: number, name: string) =>
  page.locator(`[data-field-key="candidatas.candidatas.${at}.${name}"]`)
const stored = (page: Page) => expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()

test('a registration becomes a candidate, with her photograph only where she allowed it', async ({
  page,
  browser,
}, info) => {
  const site = await Site.start({ SITE_CLOCK: '2025-08-01T12:00-06:00' })
  const visitor = await browser.newPage()
  try {
    await registrar(page, site, 'Rosa Jacaranda Mejía', true)
    await registrar(page, site, 'Alma Tule Robles', false)
    await signIn(page.context(), site, 'admin')
    await makeCandidate(page, site, 'Alma Tule Robles', /No lleva ninguna fotografía suya/)
    await makeCandidate(page, site, 'Rosa Jacaranda Mejía', /Lleva su fotografía de rostro/)
    await page.screenshot({ path: info.outputPath('inscripcion-390.png'), fullPage: true })
    const files = await site.sql<{ sha256: string }>(`select sha256 from archivos_de_edicion where vista is not null
      and created_at > (select min(created_at) from publicaciones)`)
    const [draft] = await site.sql<{ valor: { candidatas: { nombre: string; galeria: { foto: string }[] }[] } }>(
      `select valor from borradores where documento = 'candidatas.yaml'`,
    )
    const [alma, rosa] = draft!.valor.candidatas.slice(-2)
    expect([alma?.nombre, alma?.galeria[0]?.foto]).toEqual(['Alma Tule Robles', ''])
    expect(files.some(({ sha256 }) => rosa!.galeria[0]!.foto.includes(sha256.slice(0, 12)))).toBe(true)

    await page.getByRole('link', { name: 'Completar su ficha' }).click()
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    await expect(field(page, 6, 'nombre').getByRole('textbox')).toHaveValue('Rosa Jacaranda Mejía')
    await page.screenshot({ path: info.outputPath('ficha-390.png') })
    // The candidate without a photograph is taken out of the draft.
    await site.sql(
      `update borradores set valor = (select jsonb_set(valor::jsonb, '{candidatas}', jsonb_path_query_array(valor::jsonb,
        '$.candidatas[*] ? (@.nombre != "Alma Tule Robles")')) from borradores where documento = 'candidatas.yaml')::json,
        version = nextval('versiones_de_borrador') where documento = 'candidatas.yaml'`,
    )
    await page.goto(`${site.url}/organizadores/sitio/candidatas?campo=candidatas.candidatas.5.origen`)
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    const texts = {
      origen: 'La Cofradía',
      signo: 'Virgo',
      pasatiempos: 'Leer',
      semblanza: 'Canta en el coro de su pueblo.',
    }
    for (const [name, text] of Object.entries(texts)) await field(page, 5, name).getByRole('textbox').first().fill(text)
    await field(page, 5, 'cumple').getByRole('combobox', { name: 'Cumpleaños: día' }).selectOption('3')
    await field(page, 5, 'cumple').getByRole('combobox', { name: 'Cumpleaños: mes' }).selectOption('septiembre')
    const silhouette = { name: 'silueta.jpg', mimeType: 'image/jpeg', buffer: await portrait('#331122') }
    await field(page, 5, 'silueta').locator('input[type="file"]').setInputFiles(silhouette)
    await field(page, 5, 'silueta')
      .getByRole('textbox', { name: /^Texto alternativo/ })
      .fill('De pie y a contraluz')
    const candidate = page.locator('[data-field-key^="candidatas.candidatas.5."]')
    for (const which of ['Fotografía', 'A color'])
      await candidate
        .getByRole('textbox', { name: `Texto alternativo: ${which}`, exact: true })
        .last()
        .fill('Su rostro, de frente')
    await expect(field(page, 5, 'silueta').getByRole('button', { name: /^Punto que siempre se ve/ })).toBeVisible({
      timeout: 30_000,
    })
    const notice = async () =>
      JSON.stringify(await site.sql(`select valor from borradores where documento = 'candidatas.yaml'`))
    await expect.poll(async () => (await notice()).split('Su rostro, de frente').length).toBe(3)
    await expect.poll(notice).toContain('De pie y a contraluz')
    await stored(page)
    // The last words may still be on their way when the form is left.
    await expect(async () => {
      await page.goto(`${site.url}/organizadores/sitio/publicar`)
      await expect(page.getByRole('button', { name: 'Publicar' })).toBeEnabled({ timeout: 1_000 })
    }).toPass({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\. Ya lo ve quien visita el sitio/)).toBeVisible()

    await visitor.goto(`${site.url}/candidatas`)
    await expect(visitor.getByText('Rosa Jacaranda Mejía').first()).toBeVisible()
    await expect(visitor.getByText('Alma Tule Robles')).toHaveCount(0)
    expect(await visitor.getByAltText('Su rostro, de frente').count()).toBeGreaterThan(0)
  } finally {
    await page.goto('about:blank')
    await visitor.close()
    await site.stop()
  }
})

test('a teacher with another name is found at the old address', async ({ page }) => {
  const site = await Site.start()
  try {
    await signIn(page.context(), site, 'admin')
    await page.goto(`${site.url}/organizadores/sitio/maestros?campo=maestros.maestros.0.nombre`)
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    const name = page.locator('[data-field-key="maestros.maestros.0.nombre"]').getByRole('textbox')
    await expect(name).toHaveValue('Lorena Magnolia Duarte')
    await name.fill('Lorena Magnolia Duarte Ríos')
    await stored(page)
    await page.goto(`${site.url}/organizadores/sitio/publicar`)
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\. Ya lo ve quien visita el sitio/)).toBeVisible()
    await page.goto(`${site.url}/maestros/lorena-magnolia-duarte`)
    await expect(page).toHaveURL(`${site.url}/maestros/lorena-magnolia-duarte-rios`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Ríos')
  } finally {
    await page.goto('about:blank')
    await site.stop()
  }
})
