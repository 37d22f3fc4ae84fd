import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { boton, chooseDocumentos, documentos, fillCampos, foto, hydrated, openRegistro } from './documentos.ts'
import { expect, type Site, test } from './site.ts'
import { choose, expectFits, field, fill, openTraje } from './trajes.ts'

// The server is broken here on purpose. Between the folder's going and the file's coming an upload is not there at all.
test.use({ expectedErrors: [[/status of (404|50\d)/], { scope: 'test' }] })

const NUMERO =
  /^No pudimos guardar tu registro por una falla nuestra; .* comparte este número .*: [a-z0-9]{4}-[a-z0-9]{4}\.$/
/** Three tries, and the pauses between them. */
const SAID = { timeout: 30_000 }

const banner = (page: Page) => page.getByRole('alert')
const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })

/** Puts an empty file where the site keeps the pieces of what is on its way in. @returns mends it */
async function breakStaging({ dataDir }: Site): Promise<() => Promise<void>> {
  const [trozos, aside] = [join(dataDir, 'objects/subidas'), join(dataDir, 'trozos.aparte')]
  await mkdir(trozos, { recursive: true })
  await rename(trozos, aside)
  await writeFile(trozos, '')
  return async () => {
    await rm(trozos)
    await rename(aside, trozos)
  }
}

/** Bytes of pieces that the server took, and how often an upload was begun. */
function watchUploads(page: Page) {
  const seen = { bytes: 0, begun: 0, posted: 0 }
  page.on('response', (answer) => {
    const request = answer.request()
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && pathname === '/subidas') seen.begun++
    if (request.method() === 'POST' && pathname.endsWith('/envio')) seen.posted++
    if (request.method() === 'PATCH' && answer.status() === 204) seen.bytes += request.postDataBuffer()?.byteLength ?? 0
  })
  return seen
}

test('a fault before the first byte: three tries, then the banner with its number, and one press goes on', async ({
  page,
  site,
}) => {
  const nombre = 'Amanda Retama Prueba'
  await openRegistro(page)
  const seen = watchUploads(page)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page)
  const mend = await breakStaging(site)
  try {
    await boton(page).click()
    await expect(page.getByText('Algo falló de nuestro lado; lo intentamos otra vez.')).toBeVisible()
    await expect(banner(page)).toHaveText(NUMERO, SAID)
  } finally {
    await mend()
  }
  // Two files at a time.
  expect(seen.begun).toBeLessThanOrEqual(6)
  await expect(page.locator('#resultado [tabindex="-1"]')).toBeFocused()
  await expect(boton(page)).toHaveText('Enviar Registro')
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(nombre)
  for (const name of ['frente.jpg', 'vuelta.jpg', 'cuerpo.jpg', 'constancia.pdf'])
    await expect(page.getByRole('button', { name: `Quitar ${name}` })).toBeVisible()
  // No field is to blame.
  await expect(page.getByText('Revisar', { exact: true })).toHaveCount(0)
  await expect(page.locator('#resultado').getByRole('link')).toHaveCount(0)
  await expectFits(page)
  await boton(page).click()
  await expect(good(page)).toBeVisible()
  expect(await site.sql('select id from registros where nombre = $1', [nombre])).toHaveLength(1)
})

test('a fault in the middle costs no byte that is there already', async ({ page, site }) => {
  const nombre = 'Beatriz Jarilla Prueba'
  await openRegistro(page)
  const seen = watchUploads(page)
  const sent = documentos(2_500_000)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page, sent)
  let mend: (() => Promise<void>) | undefined
  let pieces = 0
  let broken: Promise<void> | undefined
  await page.route('**/subidas/**', async (route) => {
    if (route.request().method() === 'PATCH' && ++pieces === 5)
      broken = breakStaging(site).then((how) => {
        mend = how
      })
    await broken
    await route.continue().catch(() => {})
  })
  try {
    await boton(page).click()
    await expect(banner(page)).toHaveText(NUMERO, SAID)
  } finally {
    await mend?.()
  }
  const before = seen.bytes
  expect(before).toBeGreaterThan(1_000_000)
  await boton(page).click()
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
  const { acta, credencial, constancia, rostro, cuerpo } = sent
  const total = [acta, ...credencial, constancia, rostro, cuerpo].reduce((sum, one) => sum + one.buffer.byteLength, 0)
  // A piece that the fault met may have been written in part, and is then not sent whole again.
  expect(seen.bytes).toBeLessThanOrEqual(total)
  expect(await site.sql('select id from registros where nombre = $1', [nombre])).toHaveLength(1)
})

test('the same of a costume, whose data cannot be stored: no file is sent twice, one costume is registered', async ({
  page,
  site,
}) => {
  await openTraje(page)
  const seen = watchUploads(page)
  await fill(page, { 'Nombre del traje': 'Traje de la falla' })
  await choose(page)
  await site.sql('alter table trajes_tipicos rename to trajes_aparte')
  try {
    await boton(page).click()
    await expect(banner(page)).toHaveText(NUMERO, SAID)
  } finally {
    await site.sql('alter table trajes_aparte rename to trajes_tipicos')
  }
  expect(seen.posted).toBe(3)
  await expect(field(page, 'Nombre del traje')).toHaveValue('Traje de la falla')
  await expect(page.getByRole('button', { name: 'Quitar frente.jpg' })).toBeVisible()
  const { bytes, begun } = seen
  await boton(page).click()
  await expect(good(page)).toBeVisible()
  expect({ bytes: seen.bytes, begun: seen.begun }).toEqual({ bytes, begun })
  expect(await site.sql(`select id from trajes_tipicos where nombre_traje = 'Traje de la falla'`)).toHaveLength(1)
})

test('a fault that passes by itself is never said', async ({ page, site }) => {
  const nombre = 'Clara Mimbre Prueba'
  await openRegistro(page)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page)
  const mend = await breakStaging(site)
  await boton(page).click()
  await expect(page.getByText('Algo falló de nuestro lado; lo intentamos otra vez.')).toBeVisible()
  await mend()
  await expect(good(page)).toBeVisible({ timeout: 30_000 })
  await expect(banner(page)).toHaveCount(0)
})

test('what a proxy answers by itself has no number, and the form stays all the same', async ({ page, site }) => {
  const nombre = 'Dalia Sabino Prueba'
  await openRegistro(page)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page)
  const bad = '**/registro/envio'
  await page.route(bad, (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
  )
  await boton(page).click()
  await expect(banner(page)).toHaveText(
    /^No pudimos guardar tu registro por una falla nuestra; .* avisa al comité/,
    SAID,
  )
  await expect(banner(page)).not.toContainText('número')
  await page.unroute(bad)
  await boton(page).click()
  await expect(good(page)).toBeVisible()
  expect(await site.sql('select id from registros where nombre = $1', [nombre])).toHaveLength(1)
})

test('a registration that was taken behind a proxy which lost the answer is not uploaded again', async ({
  page,
  site,
}) => {
  const nombre = 'Elena Tomillo Prueba'
  await openRegistro(page)
  const seen = watchUploads(page)
  await fillCampos(page, { nombre })
  await chooseDocumentos(page)
  await page.route(
    '**/registro/envio',
    async (route) => {
      await route.fetch()
      await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Time-out</h1>' })
    },
    { times: 1 },
  )
  await boton(page).click()
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
  expect({ begun: seen.begun, posted: seen.posted }).toEqual({ begun: 6, posted: 2 })
  expect(await site.sql('select id from registros where nombre = $1', [nombre])).toHaveLength(1)
})

test('by the folio, too: the document stays chosen, and one press goes on', async ({ page, site }) => {
  await openTraje(page)
  await fill(page)
  await choose(page)
  await boton(page).click()
  await expect(good(page)).toBeVisible()
  const folio = (await page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/).textContent())!
  await site.sql(
    `with entry as (update inscripciones set estado = 'falta-documento' where folio = $1 returning id)
     insert into solicitudes (inscripcion_id, clase, nota) select id, 'bocetoFrontal', 'Se ve borroso.' from entry`,
    [folio],
  )
  await page.goto(`/folio#${folio}`)
  await hydrated(page)
  const archivo = page.getByLabel('Boceto frontal', { exact: true })
  await archivo.setInputFiles(foto('nitido.jpg'))
  const enviar = page.getByRole('button', { name: 'Enviar documento' })
  const mend = await breakStaging(site)
  try {
    await enviar.click()
    await expect(banner(page)).toHaveText(NUMERO, SAID)
  } finally {
    await mend()
  }
  await expect(banner(page).locator('xpath=ancestor::*[@tabindex="-1"][1]')).toBeFocused()
  expect(await archivo.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('nitido.jpg')
  await expectFits(page)
  await enviar.click()
  await expect(page.getByRole('status').filter({ hasText: 'Recibimos tu documento.' })).toBeVisible()
})
