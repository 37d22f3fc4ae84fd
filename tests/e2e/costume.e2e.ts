import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { choose, expectFits, FIELDS, field, fill, goToCostumeForm, PARTICIPATED_LABEL } from './costume-form.ts'
import { button, pdf, photo } from './registration-form.ts'
import { expect, test } from './site.ts'

// A refused form answers with a 4xx status.
test.use({ expectedErrors: [[/status of 4\d\d/], { scope: 'test' }] })

const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
const outcome = (page: Page) => page.locator('#resultado').getByRole('alert')

test('a costume goes in at its very limits, its folio is shown, and the form is blank again', async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await goToCostumeForm(page)
  await expectFits(page)
  await fill(page, { Temática: 'a'.repeat(100), Materiales: 'b'.repeat(100), Descripción: 'c'.repeat(250) })
  await expect(page.getByText('Quedan 0 de 100 caracteres')).toHaveCount(2)
  await field(page, PARTICIPATED_LABEL).selectOption('Sí')
  await expect(page.getByText('El traje no es elegible si ya participó en otros concursos.')).toBeVisible()
  await expect(field(page, PARTICIPATED_LABEL)).toHaveAccessibleDescription(/El traje no es elegible/)
  await field(page, PARTICIPATED_LABEL).selectOption('No')
  await expect(page.getByRole('status')).toHaveCount(0)
  await choose(page, { frontal: photo('frente.jpg', 5 * 1_048_576), identification: photo('ine.jpg', 2 * 1_048_576) })
  await expectFits(page)
  await button(page).click()

  await expect(page.getByRole('status')).toHaveText('Registro exitoso.')
  await expectFits(page)
  const folio = await page.getByText('Tu folio:').locator('strong').innerText()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copiar folio' }).click()
  await expect(page.getByRole('button', { name: 'Folio copiado' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(folio)
  expect(
    await site.sql(
      `select altura::text from inscripciones i join trajes_tipicos t on t.inscripcion_id = i.id where folio = $1`,
      [folio],
    ),
  ).toEqual([{ altura: '150' }])
  for (const label of Object.keys(FIELDS)) await expect(field(page, label)).toHaveValue('')
  await expect(field(page, PARTICIPATED_LABEL)).toHaveValue('No')
  for (const input of await page.locator('input[type=file]').all()) await expect(input).toHaveValue('')
  await expect(page.getByText('Quedan 100 de 100 caracteres')).toHaveCount(2)
})

test('a refused form says why in the order of the checks, and nothing typed or chosen is lost', async ({ page }) => {
  await goToCostumeForm(page)
  await choose(page, {
    frontal: { ...photo('boceto.svg'), buffer: Buffer.from('<svg><script>1</script></svg>') },
    posterior: photo('grande.jpg', 5 * 1_048_576 + 1),
    identification: photo('credencial_ñ.jpg'),
  })
  // Each row keeps its message after another row gets a choice, and no row says that it is ready.
  const described = (label: string, text: RegExp) => expect(field(page, label)).toHaveAccessibleDescription(text)
  await described('Boceto frontal', /Sólo JPG, PNG o PDF\./)
  await described('Boceto posterior', /Máximo 5 MB\./)
  await described('Identificación', /contiene caracteres no permitidos/)
  await expect(page.getByText('Revisar', { exact: true })).toHaveCount(3)
  await expect(page.getByText('Listo', { exact: true }).filter({ visible: true })).toHaveCount(0)
  await expectFits(page)
  await button(page).click()
  await expect(outcome(page)).toHaveText(
    'Por favor completa todos los campos obligatorios y sube todos los archivos requeridos.',
  )
  await expect(page.getByText('Revisar', { exact: true })).toHaveCount(3)
  const summary = page.locator('#resultado [tabindex="-1"]')
  await expect(summary).toBeFocused()
  await expectFits(page)
  await summary.getByRole('link', { name: 'Materiales' }).click()
  await expect(field(page, 'Materiales')).toBeFocused()

  await fill(page, {
    Temática: 'a'.repeat(101),
    Descripción: 'c'.repeat(251),
    'Altura (cm)': '150.0001',
  })
  await expect(page.getByText('Sobra 1 carácter: caben 100')).toBeVisible()
  await field(page, PARTICIPATED_LABEL).selectOption('Sí')
  const mend: [string, () => Promise<unknown>][] = [
    [
      'El traje no es elegible si ya participó en otros concursos.',
      () => field(page, PARTICIPATED_LABEL).selectOption('No'),
    ],
    ['Temática y materiales no deben exceder 100 caracteres.', () => field(page, 'Temática').fill('El azahar')],
    ['La descripción no debe exceder 250 caracteres.', () => field(page, 'Descripción').fill('Falda')],
    ['La altura máxima permitida es 150 cm.', () => field(page, 'Altura (cm)').fill('149.99')],
    [
      'El archivo "credencial_ñ.jpg" contiene caracteres no permitidos.',
      () => page.getByRole('button', { name: 'Usarlo como «credencial_n.jpg»' }).click(),
    ],
    [
      'El archivo "grande.jpg" excede el tamaño máximo de 5MB.',
      () => field(page, 'Boceto posterior').setInputFiles(pdf('atras.pdf')),
    ],
    [
      'El archivo "boceto.svg" debe ser JPG, PNG o PDF.',
      // The content of this file is a photograph.
      () => field(page, 'Boceto frontal').setInputFiles(photo('boceto.svg')),
    ],
  ]
  for (const [message, correct] of mend) {
    await button(page).click()
    await expect(outcome(page)).toHaveText(message)
    // The specification wants this message inline, too, besides the banner.
    const isInline = message.startsWith('El traje no es elegible')
    await expect(page.getByText(message)).toHaveCount(isInline ? 2 : 1)
    if (isInline) await described(PARTICIPATED_LABEL, new RegExp(message))
    await correct()
  }
  await button(page).click()
  await expect(good(page)).toBeVisible()
})

test('a picture that would unpack to hundreds of megabytes is not drawn for its preview', async ({ page }) => {
  const wide = await sharp({ create: { width: 9_000, height: 8_000, channels: 3, background: '#000' } })
    .png({ compressionLevel: 9 })
    .toBuffer()
  await goToCostumeForm(page)
  await field(page, 'Boceto frontal').setInputFiles({ name: 'enorme.png', mimeType: 'image/png', buffer: wide })
  await field(page, 'Boceto posterior').setInputFiles(photo('atras.jpg'))
  const row = (label: string) => page.locator('div', { has: field(page, label) }).last()
  await expect(row('Boceto posterior').locator('canvas')).toBeVisible()
  await expect(row('Boceto frontal').getByText('PNG', { exact: true })).toBeVisible()
  await expect(row('Boceto frontal').locator('canvas')).toBeHidden()
})

test('outside its dates there is no form, and one that was open says so when it is sent', async ({ page, site }) => {
  await goToCostumeForm(page)
  await fill(page)
  await choose(page)
  const period = JSON.stringify({ abre: '2025-07-01T00:00:00-06:00', cierra: '2025-08-01T00:00:00-06:00' })
  await site.sql(`insert into ajustes (edicion, nombre, valor) values (2025, 'registro.trajes', $1)`, [period])
  try {
    await button(page).click()
    await expect(outcome(page)).toContainText('El registro de trajes típicos cerró el 1 de agosto de 2025 a las 12:00')
    await expect(field(page, 'Nombre del traje')).toHaveValue('Flor de azahar')
    await page.reload()
    await expect(
      page.getByRole('heading', { name: /^El registro de trajes típicos cerró el 1 de agosto/ }),
    ).toBeVisible()
    await expect(button(page)).toHaveCount(0)
    await expect(page.getByText(/se corta la señal/)).toHaveCount(0)
    await expectFits(page)
  } finally {
    await site.sql('delete from ajustes')
  }
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('an error costs nothing, and the costume arrives', async ({ page }) => {
    await page.goto('/registro-traje-tipico')
    await fill(page, { 'Altura (cm)': '151' })
    await choose(page)
    await button(page).click()
    await expect(outcome(page)).toHaveText('La altura máxima permitida es 150 cm.')
    await expect(page.getByText('La altura máxima permitida es 150 cm.')).toHaveCount(1)
    await expect(field(page, 'Altura (cm)')).toHaveAccessibleDescription('Máximo 150 cm.')
    await expect(field(page, 'Descripción')).toHaveValue(FIELDS.Descripción)
    await expect(page.getByText('Ya lo recibimos: frente.jpg')).toBeVisible()
    await field(page, 'Altura (cm)').fill('150')
    await button(page).click()
    await expect(good(page)).toHaveText('Registro exitoso.')
    await expect(page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/)).toBeVisible()
  })
})
