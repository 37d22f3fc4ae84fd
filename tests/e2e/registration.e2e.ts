import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import {
  button,
  chooseDocuments,
  documents,
  FIELDS,
  fillFields,
  goToRegistration,
  heic,
  holdScripts,
  hydrated,
  onDisk,
  pdf,
  photo,
} from './registration-form.ts'
import { expect, type Site, test } from './site.ts'
import { softStep } from './soft-step.ts'

// A refused form answers with a 4xx status.
test.use({ expectedErrors: [[/status of 4\d\d/], { scope: 'test' }] })

const INCOMPLETE = 'Por favor completa todos los campos y sube ambos lados de tu credencial.'

const registrations = (site: Site, name: string) =>
  site.sql<{ id: number; carpeta: string }>('select id, carpeta from registros where nombre = $1', [name])

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })

test('a registration with its six files is received whole, and the form is blank again', async ({ page, site }) => {
  const name = 'Ximena Nopal Prueba'
  await goToRegistration(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Registro de Candidatas')
  await fillFields(page, { nombre: name })
  const sent = documents()
  const disk = await onDisk(sent)
  // The first choice for this photograph is replaced.
  await page.getByLabel('Foto Cuerpo (traje de baño)', { exact: true }).setInputFiles(disk.voterCard[0]!)
  await expect(page.getByText('frente.jpg')).toBeVisible()
  await chooseDocuments(page, disk)
  await expect(page.getByText('cuerpo.jpg')).toBeVisible()
  await button(page).click()

  await expect(good(page)).toHaveText('Registro exitoso.')
  await expect(good(page).locator('xpath=ancestor::*[@tabindex="-1"][1]')).toBeFocused()
  const [row] = await registrations(site, name)
  const [{ folio }] = (await site.sql<{ folio: string }>('select folio from inscripciones where titular = $1', [
    name,
  ])) as [{ folio: string }]
  await expect(page.getByText(folio, { exact: true })).toBeInViewport()
  await expect(page.getByRole('link', { name: 'Enviarme por WhatsApp' })).toHaveAttribute('href', new RegExp(folio))
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Guardar imagen' }).click()
  expect((await download).suggestedFilename()).toBe(`folio-${folio}.png`)
  await expect(page.getByRole('img', { name: `Tu folio ${folio}` })).toBeVisible()
  const stored = (await site.objects('registro')).filter((path) => path.startsWith(row!.carpeta))
  const kinds = stored.map((path) => path.split('/')[1]!.replace(/\d{10,}/, 'T'))
  expect(kinds).toEqual([
    'actaNacimiento',
    'constanciaEstudios',
    'credencialElector_anverso',
    'credencialElector_reverso',
    'fotoCuerpo',
    'fotoRostro',
    'metadata_T.json',
  ])
  const front = stored.find((path) => path.includes('_anverso/'))!
  expect(front).toMatch(/_frente\.jpg$/)
  const bytes = await readFile(join(site.dataDir, 'objects/registro', front))
  expect(bytes.equals(sent.voterCard[0]!.buffer)).toBe(true)

  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue('')
  await expect(page.getByLabel('Grado de Estudio', { exact: true })).toHaveValue('Estudiante')
  for (const input of await page.locator('input[type=file]').all()) await expect(input).toHaveValue('')
  await disk.remove()

  // The success stands in the form's place, and is green; the blank form stands below.
  await expect(good(page)).toBeInViewport()
  expect((await good(page).boundingBox())!.y).toBeLessThan((await button(page).boundingBox())!.y)
  const [red = 0, green = 0, blue = 0] = await good(page)
    .locator('xpath=..')
    .evaluate((panel) => getComputedStyle(panel).backgroundColor.match(/\d+/g)!.map(Number))
  expect(green).toBeGreaterThan(Math.max(red, blue))
})

test('nothing filled in: the message, a summary that takes the focus, and links to the fields', async ({ page }) => {
  await goToRegistration(page)
  await page.getByLabel('Nombre', { exact: true }).fill('Ana')
  await button(page).click()
  await expect(page.getByRole('alert')).toHaveText(INCOMPLETE)
  const summary = page.locator('#resultado [tabindex="-1"]')
  await expect(summary).toBeFocused()
  await expect(summary.getByRole('link')).toHaveText([
    'Escribe tu edad.',
    'Escribe tu estatura.',
    'Escribe tu número de celular.',
    'Falta: Acta de Nacimiento',
    /^Cred. Elector \(ambos lados\): /,
    'Falta: Constancia de Estudios',
    'Falta: Foto Rostro',
    'Falta: Foto Cuerpo (traje de baño)',
  ])
  // The summary stands above the fields, and is in view.
  await expect(summary).toBeInViewport()
  expect((await summary.boundingBox())!.y).toBeLessThan((await page.getByLabel('Nombre').boundingBox())!.y)
  await summary.getByRole('link', { name: 'Celular' }).click()
  await expect(page.getByLabel('Celular', { exact: true })).toBeFocused()
  await expect(page.getByLabel('Celular', { exact: true })).toHaveAccessibleDescription(/Escribe tu número de celular/)
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue('Ana')

  await page.getByLabel('Acta de Nacimiento', { exact: true }).setInputFiles(pdf('acta.pdf'))
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a credential that is not both sides, and a height that is no number', async ({ page }) => {
  const voterCard = page.getByLabel('Cred. Elector (ambos lados)', { exact: true })
  await goToRegistration(page)
  await fillFields(page)
  await chooseDocuments(page)
  for (const [what, files, state, tile] of [
    ['one file', ['frente.jpg'], 'Falta un lado', 'Reverso'],
    ['three files', ['a.jpg', 'b.jpg', 'c.jpg'], 'Sobra uno', 'Sobra'],
  ] as const)
    await softStep(`a credential of ${what} is not both sides`, async () => {
      await voterCard.setInputFiles(files.map((name) => photo(name)))
      await button(page).click()
      await expect(page.getByRole('alert')).toHaveText(INCOMPLETE)
      await expect(page.getByRole('link', { name: 'Cred. Elector (ambos lados)' })).toBeVisible()
      await expect(page.getByText(state, { exact: true })).toBeVisible()
      const name = await page.getByText(`: ${files.at(-1)}`).boundingBox()
      const tiles = await page.getByText(tile, { exact: true }).first().boundingBox()
      expect(tiles!.x + tiles!.width).toBeLessThanOrEqual(name!.x)
    })
  await softStep('a height that is no number is explained as such', async () => {
    const stature = page.getByLabel('Estatura (m)', { exact: true })
    await voterCard.setInputFiles(documents().voterCard)
    await stature.fill('')
    await stature.pressSequentially('1-7')
    await button(page).click()
    await expect(stature).toHaveAccessibleDescription(/en metros/)
  })
})

test('a file that is not taken', async ({ page }) => {
  const record = page.getByLabel('Acta de Nacimiento', { exact: true })
  const fileNames = () =>
    record.evaluate((input: HTMLInputElement) => [...(input.files ?? [])].map((file) => file.name))
  await goToRegistration(page)
  await softStep('because it is empty, too large, or no picture', async () => {
    await record.setInputFiles({ ...pdf('vacia.pdf'), buffer: Buffer.alloc(0) })
    await expect(page.getByRole('alert')).toContainText('El archivo "vacia.pdf" está vacío.')
    await record.setInputFiles(pdf('grande.pdf', 15 * 1_048_576))
    await expect(page.getByRole('alert')).toContainText('el máximo es 15 MB')
    await record.setInputFiles({ ...photo('carta.jpg'), buffer: Buffer.from('Querido comité:') })
    await expect(page.getByRole('alert')).toContainText('El archivo "carta.jpg" no es una foto ni un PDF.')
    expect(await fileNames()).toEqual([])
  })
  await page.getByLabel('Nombre', { exact: true }).fill('Ana')
  for (const name of ['acta_ñ.pdf', 'Árbol.pdf', 'acta´.pdf', 'cafe\u0301.pdf'])
    await softStep(`because of its name, «${name}»: the choice before stays, and one press renames it`, async () => {
      await record.setInputFiles(pdf('antes.pdf'))
      await expect(page.getByRole('alert')).toHaveCount(0)
      await record.setInputFiles(pdf(name))
      await expect(page.getByRole('alert')).toHaveText(`El archivo "${name}" contiene caracteres no permitidos.`)
      expect(await fileNames()).toEqual(['antes.pdf'])
      await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue('Ana')

      await page.getByRole('button', { name: /^Usarlo como/ }).click()
      await expect(page.getByRole('alert')).toHaveCount(0)
      await expect(record).toBeFocused()
      const [renamed] = await fileNames()
      expect(renamed).toMatch(/^(acta_n|Arbol|acta|cafe)\.pdf$/)
    })
  await softStep('an asterisk is only remarked upon', async () => {
    await record.setInputFiles(pdf('acta*.pdf'))
    await expect(page.getByText('El nombre lleva un asterisco')).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    expect(await fileNames()).toEqual(['acta*.pdf'])
  })
  await softStep('a chosen file can be taken back', async () => {
    const face = page.getByLabel('Foto Rostro', { exact: true })
    await face.setInputFiles(heic('IMG_1.HEIC'))
    await page.getByRole('button', { name: 'Quitar IMG_1.HEIC' }).click()
    await expect(face).toBeFocused()
    await expect(face).toHaveValue('')
  })
})

test('one small picture serves for every document, the same twice is remarked upon, and a double click is one registration', async ({
  page,
  site,
}) => {
  const name = 'Norma Amapola Prueba'
  const picture = { name: 'imagen.png', mimeType: 'image/png', buffer: PNG }
  await goToRegistration(page)
  await fillFields(page, { nombre: name })
  await chooseDocuments(page, {
    birthCertificate: picture,
    voterCard: [picture, picture],
    studyCertificate: picture,
    facePhoto: picture,
    bodyPhoto: picture,
  })
  await expect(page.getByText('Elegiste lo mismo para los dos lados.')).toHaveCount(1)
  await button(page).dblclick()
  await expect(good(page)).toBeVisible()
  expect(await registrations(site, name)).toHaveLength(1)
})

test('the second side may be chosen after the first, and the sides swapped', async ({ page, site }) => {
  const name = 'Renata Maguey Prueba'
  await goToRegistration(page)
  await fillFields(page, { nombre: name })
  const { voterCard, ...rest } = documents()
  await chooseDocuments(page, { ...rest, voterCard: [voterCard[1]!] })
  await page.getByLabel('Cred. Elector (ambos lados)', { exact: true }).setInputFiles(voterCard[0]!)
  await expect(page.getByText('Anverso: vuelta.jpg')).toBeVisible()
  await page.getByRole('button', { name: 'Intercambiar lados' }).click()
  await expect(page.getByText('Anverso: frente.jpg')).toBeVisible()
  await button(page).click()
  await expect(good(page)).toBeVisible()
  const [row] = await registrations(site, name)
  const stored = (await site.objects('registro')).filter((path) => path.startsWith(row!.carpeta))
  expect(stored.find((path) => path.includes('_anverso/'))).toMatch(/_frente\.jpg$/)
  expect(stored.find((path) => path.includes('_reverso/'))).toMatch(/_vuelta\.jpg$/)
})

test('by keyboard alone', async ({ page, site }) => {
  const name = 'Fernanda Pitahaya Prueba'
  await goToRegistration(page)
  // One listener for the whole test: a new one for each file races with the key that opens the chooser.
  page.on('filechooser', () => {})
  await page.getByLabel('Nombre', { exact: true }).focus()
  await page.keyboard.type(name)
  for (const text of ['22', '1.71', 'Profesionista', '3312345678']) {
    await page.keyboard.press('Tab')
    await page.keyboard.type(text)
  }
  const { birthCertificate, voterCard, studyCertificate, facePhoto, bodyPhoto } = documents()
  for (const files of [[birthCertificate], voterCard, [studyCertificate], [facePhoto], [bodyPhoto]]) {
    await page.keyboard.press('Tab')
    // Past the buttons of the previous row.
    while (!(await page.evaluate(() => document.activeElement instanceof HTMLInputElement))) {
      await page.keyboard.press('Tab')
    }
    const chooser = page.waitForEvent('filechooser')
    await page.keyboard.press('Space')
    await (await chooser).setFiles(files)
    await expect(page.getByText(files.at(-1)!.name)).toBeVisible()
  }
  while (!(await button(page).evaluate((button) => button === document.activeElement))) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(good(page)).toBeVisible()
  const rows = await site.sql('select edad, estatura::text, "gradoEstudio" from registros where nombre = $1', [name])
  expect(rows).toEqual([{ edad: 22, estatura: '1.71', gradoEstudio: 'Profesionista' }])
})

test('text and files from before the script arrived are not lost', async ({ page, site }) => {
  const name = 'Valeria Huizache Prueba'
  const release = await holdScripts(page)
  await page.goto('/registro', { waitUntil: 'commit' })
  await fillFields(page, { nombre: name })
  await chooseDocuments(page)
  release()
  await hydrated(page)
  await expect(page.getByText('frente.jpg')).toBeVisible()
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
  await button(page).click()
  await expect(good(page)).toBeVisible()
  expect(await registrations(site, name)).toHaveLength(1)
})

test('a form begun without the script and ended with it: the received files count', async ({ page, site }) => {
  const name = 'Rebeca Tescalama Prueba'
  const release = await holdScripts(page)
  await page.goto('/registro', { waitUntil: 'commit' })
  await fillFields(page, { nombre: name, celular: '' })
  await chooseDocuments(page)
  await button(page).click()
  await expect(page.getByText('Ya lo recibimos: frente.jpg')).toBeVisible()
  release()
  await hydrated(page)
  await page.getByLabel('Celular', { exact: true }).fill('3312345678')
  await page.getByLabel('Foto Cuerpo (traje de baño)', { exact: true }).setInputFiles(photo('otra.jpg'))
  await button(page).click()
  await expect(good(page)).toBeVisible()
  const [row] = await registrations(site, name)
  const stored = (await site.objects('registro')).filter((path) => path.startsWith(row!.carpeta))
  expect(stored).toHaveLength(7)
  expect(stored.find((path) => path.includes('/fotoCuerpo/'))).toMatch(/_otra\.jpg$/)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the same registration arrives', async ({ page, site }) => {
    const name = 'Karla Cardón Prueba'
    await page.goto('/registro')
    await fillFields(page, { nombre: name })
    await chooseDocuments(page, { ...documents(), birthCertificate: pdf('acta_niña.pdf') })
    await button(page).click()
    await softStep('a forbidden name is refused by the server with the same words', async () => {
      await expect(page.getByRole('alert')).toHaveText('El archivo "acta_niña.pdf" contiene caracteres no permitidos.')
      await expect(page.getByText('contiene caracteres no permitidos.')).toHaveCount(1)
      await expect(page.getByText('Ya lo recibimos: constancia.pdf')).toBeVisible()
    })
    await page.getByLabel('Acta de Nacimiento', { exact: true }).setInputFiles(pdf('acta.pdf'))
    await page.getByLabel('Celular', { exact: true }).fill('')
    await button(page).click()
    await softStep('an error costs neither the typed text nor the uploaded files', async () => {
      await expect(page.getByRole('alert')).toHaveText(INCOMPLETE)
      await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
      await expect(page.getByLabel('Grado de Estudio', { exact: true })).toHaveValue(FIELDS.gradoEstudio)
      for (const name of ['acta.pdf', 'frente.jpg'])
        await expect(page.getByText(`Ya lo recibimos: ${name}`)).toBeVisible()
      await expect(page.getByLabel('Foto Rostro', { exact: true })).not.toHaveAttribute('required')
    })
    await page.getByLabel('Celular', { exact: true }).fill('3312345678')
    await button(page).click()
    await expect(good(page)).toHaveText('Registro exitoso.')
    await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue('')
    expect(await registrations(site, name)).toHaveLength(1)
  })
})
