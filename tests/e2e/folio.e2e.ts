import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { choose, expectFits, fill, goToCostumeForm, registerCostume } from './costume-form.ts'
import { button, hydrated, photo } from './registration-form.ts'
import { expect, type Site, test } from './site.ts'

// Refusals answer with a 4xx status.
test.use({ expectedErrors: [[/status of 4\d\d|net::ERR_/], { scope: 'test' }], viewport: { width: 360, height: 800 } })

/** Asks for a costume's sketch again, as the organisers would. @returns the entry's folio */
async function asked(site: Site, registered = registerCostume(site)): Promise<string> {
  const folio = await registered
  await site.sql(
    `with entry as (update inscripciones set estado = 'falta-documento' where folio = $1 returning id)
     insert into solicitudes (inscripcion_id, clase, nota) select id, 'bocetoFrontal', 'Se ve borroso.' from entry`,
    [folio],
  )
  return folio
}

const ask = async (page: Page, folio: string) => {
  await page.getByLabel('Folio', { exact: true }).fill(folio)
  await page.getByRole('button', { name: 'Consultar' }).click()
}
const file = (page: Page) => page.getByLabel('Boceto frontal', { exact: true })
const send = (page: Page) => page.getByRole('button', { name: 'Enviar documento' })

/** Registers a costume on the form's page. @returns the entry's folio */
async function registerOn(page: Page): Promise<string> {
  await goToCostumeForm(page)
  await fill(page)
  await choose(page)
  await button(page).click()
  await expect(page.getByText('Registro exitoso.')).toBeVisible()
  return (await page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/).textContent())!
}

async function sendAgain(page: Page, site: Site) {
  const folio = await asked(site, registerOn(page))
  await page.getByRole('link', { name: 'consultas cómo va tu registro' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tu folio')
  // The link brings the folio along, but leaves it in no address.
  await expect(page.getByRole('heading', { name: 'Falta un documento' })).toBeVisible()
  await expect(page).toHaveURL(/\/folio$/)
  await expect(page.getByText('Flor de azahar, traje típico de Rosa Clavel Prueba')).toBeVisible()
  await ask(page, '')
  await expect(page.getByRole('alert')).toHaveText(/^Escribe tu folio: /)
  await ask(page, '7K3M-Q9XT-04WB')
  await expect(page.getByRole('alert')).toContainText('No encontramos ese folio.')
  await ask(page, folio.toLowerCase().replaceAll('-', ''))
  await expect(page.getByRole('heading', { name: 'Falta un documento' })).toBeVisible()
  await expect(page.getByText('Se ve borroso.')).toBeVisible()
  const steps = page.getByRole('list', { name: 'Los pasos de tu registro' }).getByRole('listitem')
  await expect(steps).toHaveText([
    /^Recibida \d+ de \w+$/,
    'En revisión',
    'Documentos',
    'Decisión Sigue',
    'El concurso',
  ])
  await expect(steps.nth(2)).toHaveAttribute('aria-current', 'step')
  expect(page.url()).not.toContain(folio.slice(0, 4))

  await expect(file(page)).toHaveAccessibleDescription(/JPG, PNG o PDF, hasta 5 MB/)
  // The browser's own words about a missing file are in another language; a chosen file's name is shown.
  await expect(file(page)).toHaveCSS('color', 'rgba(0, 0, 0, 0)')
  await file(page).setInputFiles({ ...photo('boceto.svg'), buffer: Buffer.from('<svg/>') })
  await send(page).click()
  await expect(page.getByRole('alert')).toHaveText('El archivo "boceto.svg" debe ser JPG, PNG o PDF.')
  await file(page).setInputFiles(photo('nitido.jpg'))
  await expect(file(page)).not.toHaveCSS('color', 'rgba(0, 0, 0, 0)')
  await send(page).click()
  await expect(page.getByRole('status').filter({ hasText: 'Recibimos tu documento.' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'En revisión' })).toBeVisible()
  await expect(send(page)).toHaveCount(0)
  await expect(page.getByText('Qué llevar')).toBeHidden()
  const row = page.getByRole('listitem').filter({ hasText: 'frente.jpg' })
  await expect(row).toContainText('Lo sustituye otro más nuevo')
  await expect(page.getByRole('listitem').filter({ hasText: 'nitido.jpg' })).toBeVisible()
  const [entry] = await site.sql<{ carpeta: string }>('select carpeta from trajes_tipicos order by id desc limit 1')
  const stored = (await site.objects('registrotrajes')).filter(
    (path) => path.startsWith(`${entry!.carpeta}/`) && /frente\.jpg$|nitido\.jpg$/.test(path),
  )
  expect(stored).toHaveLength(2)
}

test('a document that is asked for again is sent anew by the folio', async ({ page, site }) => {
  await sendAgain(page, site)
  await expectFits(page)
  await site.sql('truncate inscripciones cascade')
  const folio = await asked(site)
  await page.goto('/folio')
  await expectFits(page)
  await hydrated(page)
  await ask(page, folio)
  await expect(file(page)).toBeVisible()
  await expectFits(page)
  // On paper the folio is half a sheet of the size Letter.
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText(folio, { exact: true })).toHaveCSS('font-size', /^53\.3/)
  await expect(page.getByText('Identificación, original')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Sube otra vez: Boceto frontal' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Consultar' })).toBeHidden()
  const pdf = await page.pdf({ width: '8.5in', height: '5.5in' })
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)).toHaveLength(1)
})

test('a file with a wrong name or size is refused before it is sent, and one press renames it', async ({
  page,
  site,
}) => {
  const folio = await asked(site)
  await page.goto('/folio')
  await hydrated(page)
  await ask(page, folio)
  await expect(file(page)).toBeVisible()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url())
  })
  await file(page).setInputFiles(photo('grande.jpg', 5 * 1_048_576 + 1))
  await expect(page.getByRole('alert')).toHaveText('El archivo "grande.jpg" excede el tamaño máximo de 5MB.')
  await send(page).click()
  await file(page).setInputFiles(photo('diseño.jpg'))
  await expect(page.getByRole('alert')).toHaveText('El archivo "diseño.jpg" contiene caracteres no permitidos.')
  await send(page).click()
  await expect(page.getByRole('alert').locator('xpath=ancestor::*[@tabindex="-1"][1]')).toBeFocused()
  expect(sent).toEqual([])
  await expectFits(page)
  await page.getByRole('button', { name: 'Usarlo como «diseno.jpg»' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(file(page)).toBeFocused()
  await send(page).click()
  await expect(page.getByRole('status').filter({ hasText: 'Recibimos tu documento.' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'diseno.jpg' })).toBeVisible()
})

test('offline in the middle: it says so, waits, and goes on by itself', async ({ page, context, site }) => {
  const folio = await asked(site)
  await page.goto('/folio')
  await hydrated(page)
  await ask(page, folio)
  const sent = photo('nitido.jpg', 3_000_000)
  await file(page).setInputFiles(sent)
  let pieces = 0
  let open = () => {}
  const held = new Promise<void>((resolve) => {
    open = resolve
  })
  await page.route('**/subidas/**', async (route) => {
    if (route.request().method() === 'PATCH' && ++pieces === 2) await held
    await route.continue().catch(() => {})
  })
  await send(page).click()
  await expect(page.getByRole('button', { name: 'Subiendo información...' })).toBeVisible()
  const progress = page.getByRole('progressbar', { name: 'Avance de Boceto frontal' })
  await expect.poll(() => progress.evaluate((bar: HTMLProgressElement) => bar.value)).toBeGreaterThan(20)
  await expectFits(page)
  await context.setOffline(true)
  open()
  await expect(page.getByText('Sin conexión: seguimos en cuanto vuelva la señal.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('status').filter({ hasText: 'Recibimos tu documento.' })).toBeVisible()
  const [row] = await site.sql<{ path: string }>(
    `select path from documentos d join inscripciones i on i.id = d.inscripcion_id
     where folio = $1 and nombre_archivo = 'nitido.jpg'`,
    [folio],
  )
  const stored = await readFile(join(site.dataDir, 'objects/registrotrajes', row!.path))
  expect(stored.equals(sent.buffer)).toBe(true)
})

/** Simulates a device whose data on Mexico's clocks is hours off; data from before 2022 is off by an hour in summer. */
function wrongZones() {
  class Wrong extends Intl.DateTimeFormat {
    constructor(locale: string, options: Intl.DateTimeFormatOptions = {}) {
      super(locale, { ...options, timeZone: options.timeZone === 'UTC' ? 'UTC' : 'Asia/Tokyo' })
    }
  }
  Object.assign(Intl, { DateTimeFormat: Wrong })
}

test('a link that brings the folio, as mails do, opens its entry, with the hour of Mexico on any device', async ({
  page,
  site,
}) => {
  const folio = await asked(site)
  const [row] = await site.sql<{ hora: string }>(
    `select to_char(created_at at time zone 'America/Mexico_City', 'FMHH12:MI') as hora from inscripciones where folio = $1`,
    [folio],
  )
  await page.addInitScript(wrongZones)
  await page.goto(`/folio#${folio}`)
  await expect(page.getByRole('heading', { name: 'Falta un documento' })).toBeVisible()
  await expect(page).toHaveURL(/\/folio$/)
  await expect(page.getByLabel('Folio', { exact: true })).toHaveValue(folio)
  await expect(page.getByText(/, hora del centro de México$/)).toContainText(` a las ${row!.hora} `)
})

test('while the missing document has no name yet, no file is asked for', async ({ page, site }) => {
  const folio = await asked(site)
  await site.sql('delete from solicitudes')
  await page.goto('/folio')
  await hydrated(page)
  await ask(page, folio)
  await expect(page.getByRole('heading', { name: 'Falta un documento' })).toBeVisible()
  await expect(page.getByText('El comité te buscará para decirte cuál.')).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('a document is sent anew by the folio', async ({ page, site }) => {
    const folio = await asked(site)
    await page.goto('/folio')
    await ask(page, folio)
    await file(page).setInputFiles(photo('a.jpg', 5 * 1_048_576 + 1))
    await send(page).click()
    await expect(page.getByRole('alert')).toHaveText('El archivo "a.jpg" excede el tamaño máximo de 5MB.')
    await file(page).setInputFiles(photo('nitido.jpg'))
    await send(page).click()
    await expect(page.getByText('Recibimos tu documento.')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'En revisión' })).toBeVisible()
  })
})
