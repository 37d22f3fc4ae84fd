import type { Page } from '@playwright/test'
import {
  button,
  chooseDocuments,
  fillFields,
  goToRegistration,
  holdBack,
  hydrated,
  photo,
  storedOnDevice,
} from '../../e2e/registration-form.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

// The tools of a registration's form come with its first touch; here they come late or never.
test.use({ expectedErrors: [[/net::ERR_|status of 4\d\d/], { scope: 'test' }] })

const CODE = '**/assets/registration-controller.client-*.js'
const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
const countOf = async (site: Site, name: string) =>
  (await site.sql('select id from registros where nombre = $1', [name])).length

test('a form that is only looked at fetches no tools; sent before the tools are there, it waits and goes', async ({
  page,
  site,
}) => {
  const name = 'Amalia Jarilla Prueba'
  let asked = 0
  page.on('request', (request) => {
    if (/controller\.client/.test(request.url())) asked++
  })
  const release = await holdBack(page, CODE)
  await goToRegistration(page)
  await page.waitForTimeout(1_500)
  expect(asked).toBe(0)
  await fillFields(page, { nombre: name })
  await chooseDocuments(page)
  await button(page).click()
  await expect(button(page)).toHaveText('Subiendo información...')
  await expect(button(page)).toHaveAttribute('aria-disabled', 'true')
  await button(page).press('Enter')
  let uploads = 0
  page.on('request', (request) => {
    if (request.url().includes('/subidas')) uploads++
  })
  release()
  await expect(good(page)).toBeVisible()
  // The files were sent in chunks, not with a plain form.
  expect(uploads).toBeGreaterThan(5)
  expect(await countOf(site, name)).toBe(1)
})

test('text typed before the tools are there is kept on the device, and its field, focus and caret stay', async ({
  page,
}) => {
  const release = await holdBack(page, CODE)
  await goToRegistration(page)
  const name = page.getByLabel('Nombre', { exact: true })
  await name.pressSequentially('Ana Zapote')
  await name.press('ArrowLeft')
  const before = await name.elementHandle()
  release()
  await expect.poll(() => storedOnDevice(page)).toEqual([1, 0])
  await expect(name).toBeFocused()
  expect(await name.evaluate((field, before) => field === before, before)).toBe(true)
  expect(await name.evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(9)
  await page.reload()
  await expect(name).toHaveValue('Ana Zapote')
  await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
})

test('files chosen before the tools are there are checked later, each in its turn', async ({ page }) => {
  const release = await holdBack(page, CODE)
  await goToRegistration(page)
  const [record, face] = [page.getByLabel('Acta de Nacimiento'), page.getByLabel('Foto Rostro', { exact: true })]
  await record.setInputFiles(photo('año.jpg'))
  await face.setInputFiles(photo('rostro.jpg'))
  // A phone offers one photograph at a time.
  const voterCard = page.getByLabel('Cred. Elector (ambos lados)', { exact: true })
  for (const name of ['frente.jpg', 'vuelta.jpg']) await voterCard.setInputFiles(photo(name))
  release()
  await expect(page.getByRole('alert')).toContainText('El archivo "año.jpg" contiene caracteres no permitidos.')
  await expect(page.getByText('rostro.jpg', { exact: true })).toBeVisible()
  await expect.poll(() => record.evaluate((input: HTMLInputElement) => input.files?.length)).toBe(0)
  for (const name of ['frente.jpg', 'vuelta.jpg'])
    await expect(page.getByRole('button', { name: `Quitar ${name}` })).toBeVisible()
  await page.getByRole('button', { name: 'Usarlo como «ano.jpg»' }).click()
  await expect(page.getByText('ano.jpg', { exact: true })).toBeVisible()
})

test('of two files that were chosen before the tools are there, a refused one leaves the one before it', async ({
  page,
}) => {
  const release = await holdBack(page, CODE)
  await goToRegistration(page)
  const record = page.getByLabel('Acta de Nacimiento')
  for (const name of ['acta.jpg', 'año.jpg']) await record.setInputFiles(photo(name))
  release()
  await expect(page.getByRole('alert')).toContainText('El archivo "año.jpg" contiene caracteres no permitidos.')
  await expect(page.getByText('acta.jpg', { exact: true })).toBeVisible()
  await expect.poll(() => record.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('acta.jpg')
})

// registro-conexion tests a plain form that is not refused.
test('without the tools the plain form goes, and says that they are tried again; they help to mend its refusal', async ({
  page,
  site,
}) => {
  const name = 'Rosa Encino Prueba'
  await page.route(CODE, (route) => route.abort())
  await goToRegistration(page)
  await fillFields(page, { nombre: name, edad: '300' })
  await chooseDocuments(page)
  await button(page).click()
  await expect(page.getByText('Una parte de esta página no llega; lo seguimos intentando.')).toBeVisible()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.unroute(CODE)
  await hydrated(page)
  await page.getByLabel('Edad', { exact: true }).fill('23')
  await expect(page.getByLabel('Edad', { exact: true })).not.toHaveAttribute('aria-invalid')
  await button(page).click()
  await expect(good(page)).toBeVisible()
  expect(await countOf(site, name)).toBe(1)
})
