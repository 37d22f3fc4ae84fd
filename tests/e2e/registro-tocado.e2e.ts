import type { Page } from '@playwright/test'
import {
  boton,
  chooseDocumentos,
  fillCampos,
  foto,
  holdBack,
  hydrated,
  openRegistro,
  storedOnDevice,
} from './documentos.ts'
import { expect, type Site, test } from './site.ts'

// What works on a registration's form comes with its first touch; here it comes late, or not at all.
test.use({ expectedErrors: [[/net::ERR_|status of 4\d\d/], { scope: 'test' }] })

const CODE = '**/assets/lazy-tools.client-*.js'
const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
const countOf = async (site: Site, nombre: string) =>
  (await site.sql('select id from registros where nombre = $1', [nombre])).length

test('only looked at, a form fetches nothing of it; filled in and sent before it is there, it waits and goes', async ({
  page,
  site,
}) => {
  const nombre = 'Amalia Jarilla Prueba'
  let asked = 0
  page.on('request', (request) => {
    if (/taller\.client/.test(request.url())) asked++
  })
  const release = await holdBack(page, CODE)
  await openRegistro(page)
  await page.waitForTimeout(1_500)
  expect(asked).toBe(0)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page)
  await boton(page).click()
  await expect(boton(page)).toHaveText('Subiendo información...')
  await expect(boton(page)).toHaveAttribute('aria-disabled', 'true')
  await boton(page).press('Enter')
  let uploads = 0
  page.on('request', (request) => {
    if (request.url().includes('/subidas')) uploads++
  })
  release()
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
  // In pieces, not as a plain form would.
  expect(uploads).toBeGreaterThan(5)
  expect(await countOf(site, nombre)).toBe(1)
})

test('what was typed before it is there is kept on the device, and its field, focus and caret stay', async ({
  page,
}) => {
  const release = await holdBack(page, CODE)
  await openRegistro(page)
  const nombre = page.getByLabel('Nombre', { exact: true })
  await nombre.pressSequentially('Ana Zapote')
  await nombre.press('ArrowLeft')
  const before = await nombre.elementHandle()
  release()
  await expect.poll(() => storedOnDevice(page)).toEqual([1, 0])
  await expect(nombre).toBeFocused()
  expect(await nombre.evaluate((field, before) => field === before, before)).toBe(true)
  expect(await nombre.evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(9)
  await page.reload()
  await expect(nombre).toHaveValue('Ana Zapote')
  await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
})

test('files that were chosen before it is there are looked at when it is, each in its turn', async ({ page }) => {
  const release = await holdBack(page, CODE)
  await openRegistro(page)
  const [acta, rostro] = [page.getByLabel('Acta de Nacimiento'), page.getByLabel('Foto Rostro', { exact: true })]
  await acta.setInputFiles(foto('año.jpg'))
  await rostro.setInputFiles(foto('rostro.jpg'))
  // As a phone offers them, one photograph at a time.
  const credencial = page.getByLabel('Cred. Elector (ambos lados)', { exact: true })
  for (const name of ['frente.jpg', 'vuelta.jpg']) await credencial.setInputFiles(foto(name))
  release()
  await expect(page.getByRole('alert')).toContainText('El archivo "año.jpg" contiene caracteres no permitidos.')
  await expect(page.getByText('rostro.jpg', { exact: true })).toBeVisible()
  await expect.poll(() => acta.evaluate((input: HTMLInputElement) => input.files?.length)).toBe(0)
  for (const name of ['frente.jpg', 'vuelta.jpg'])
    await expect(page.getByRole('button', { name: `Quitar ${name}` })).toBeVisible()
  await page.getByRole('button', { name: 'Usarlo como «ano.jpg»' }).click()
  await expect(page.getByText('ano.jpg', { exact: true })).toBeVisible()
})

test('of two files that were chosen before it is there, one that is refused leaves the one before it', async ({
  page,
}) => {
  const release = await holdBack(page, CODE)
  await openRegistro(page)
  const acta = page.getByLabel('Acta de Nacimiento')
  for (const name of ['acta.jpg', 'año.jpg']) await acta.setInputFiles(foto(name))
  release()
  await expect(page.getByRole('alert')).toContainText('El archivo "año.jpg" contiene caracteres no permitidos.')
  await expect(page.getByText('acta.jpg', { exact: true })).toBeVisible()
  await expect.poll(() => acta.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('acta.jpg')
})

// What the plain form brings that is not refused: registro-conexion.
test('where it cannot be had, the plain form goes, and says meanwhile that it is tried again; its refusal is mended with what works on it', async ({
  page,
  site,
}) => {
  const nombre = 'Rosa Encino Prueba'
  await page.route(CODE, (route) => route.abort())
  await openRegistro(page)
  await fillCampos(page, { nombre, edad: '300' })
  await chooseDocumentos(page)
  await boton(page).click()
  await expect(page.getByText('Una parte de esta página no llega; lo seguimos intentando.')).toBeVisible()
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 40_000 })
  await page.unroute(CODE)
  await hydrated(page)
  await page.getByLabel('Edad', { exact: true }).fill('23')
  await expect(page.getByLabel('Edad', { exact: true })).not.toHaveAttribute('aria-invalid')
  await boton(page).click()
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
  expect(await countOf(site, nombre)).toBe(1)
})
