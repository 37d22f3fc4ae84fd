import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { choose, expectFits, field, fill, goToCostumeForm } from '../../e2e/costume-form.ts'
import {
  button,
  chooseDocuments,
  documents,
  fillFields,
  goToRegistration,
  hydrated,
  photo,
} from '../../e2e/registration-form.ts'
import { expect, type Site, test } from '../../e2e/site.ts'
import { softStep } from '../../e2e/soft-step.ts'

// The server is broken here on purpose. While the folder is replaced by a file, an upload does not exist.
test.use({ expectedErrors: [[/status of (404|50\d)/], { scope: 'test' }] })

const ERROR_NUMBER =
  /^No pudimos guardar tu registro por una falla nuestra; .* comparte este número .*: [a-z0-9]{4}-[a-z0-9]{4}\.$/
const WAITING = 'Algo falló de nuestro lado; lo intentamos otra vez.'

const banner = (page: Page) => page.getByRole('alert')
const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })

/**
 * Lets the browser's clock pass over the pauses between attempts until the message appears.
 * @param met whether the fault has been met
 */
async function saidOf(page: Page, words: RegExp, met = async () => true) {
  // The longest pauses between three attempts; a fourth attempt, or the half minute, would pass in real time.
  let left = 15_000
  await expect(async () => {
    await expect(page.getByText(WAITING).or(banner(page)).first()).toBeVisible({ timeout: 3_000 })
    if (await banner(page).isHidden()) {
      const step = (await met()) ? Math.min(3_000, left) : 500
      if (step === 3_000) left -= step
      await page.clock.runFor(step)
    }
    await expect(banner(page)).toHaveText(words, { timeout: 500 })
  }).toPass({ timeout: 40_000 })
}

/** Replaces the folder of upload chunks by an empty file. @returns mends the folder */
async function breakStaging({ dataDir }: Site): Promise<() => Promise<void>> {
  const [chunks, aside] = [join(dataDir, 'objects/subidas'), join(dataDir, 'trozos.aparte')]
  await mkdir(chunks, { recursive: true })
  await rename(chunks, aside)
  await writeFile(chunks, '')
  return async () => {
    await rm(chunks)
    // The site may have made the folder anew by now, so the chunks are put into it.
    await cp(aside, chunks, { recursive: true })
    await rm(aside, { recursive: true })
  }
}

/** Counts bytes of chunks that the server took, uploads begun, failures, and forms posted. */
function watchUploads(page: Page) {
  const seen = { bytes: 0, begun: 0, failed: 0, posted: 0 }
  page.on('response', (answer) => {
    const request = answer.request()
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && pathname === '/subidas') seen.begun++
    if (pathname.startsWith('/subidas') && answer.status() >= 500) seen.failed++
    if (request.method() === 'POST' && pathname.endsWith('/envio')) seen.posted++
    if (request.method() === 'PATCH' && answer.status() === 204) seen.bytes += request.postDataBuffer()?.byteLength ?? 0
  })
  return seen
}

test('a registration that meets one fault after another', async ({ page, site }) => {
  const name = 'Amanda Retama Prueba'
  await page.clock.install()
  await goToRegistration(page)
  const seen = watchUploads(page)
  const sent = documents(1_500_000)
  const { birthCertificate, voterCard, studyCertificate, facePhoto, bodyPhoto } = sent
  const total = [birthCertificate, ...voterCard, studyCertificate, facePhoto, bodyPhoto].reduce(
    (sum, one) => sum + one.buffer.byteLength,
    0,
  )
  await fillFields(page, { nombre: name })
  await chooseDocuments(page, sent)
  await softStep('before the first byte: three tries, then the banner with its number', async () => {
    const mend = await breakStaging(site)
    try {
      await button(page).click()
      await saidOf(page, ERROR_NUMBER)
    } finally {
      await mend()
    }
    // Two files are sent at a time.
    expect(seen.failed).toBeGreaterThanOrEqual(3)
    expect(seen.failed).toBeLessThanOrEqual(6)
    await expect(page.locator('#resultado [tabindex="-1"]')).toBeFocused()
    await expect(button(page)).toHaveText('Enviar Registro')
    await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
    for (const name of ['frente.jpg', 'vuelta.jpg', 'cuerpo.jpg', 'constancia.pdf'])
      await expect(page.getByRole('button', { name: `Quitar ${name}` })).toBeVisible()
    // No field is marked as wrong.
    await expect(page.getByText('Revisar', { exact: true })).toHaveCount(0)
    await expect(page.locator('#resultado').getByRole('link')).toHaveCount(0)
    await expectFits(page)
  })
  let pieces = 0
  await softStep('one press goes on; a fault that passes by itself is never said', async () => {
    const mend = await breakStaging(site)
    await button(page).click()
    await expect(page.getByText(WAITING)).toBeVisible()
    await mend()
    await expect(banner(page)).toHaveCount(0)
  })
  await softStep('in the middle: the fault is reported, too, and costs no byte that is there already', async () => {
    let mend: (() => Promise<void>) | undefined
    let broken: Promise<void> | undefined
    await page.route('**/subidas/**', async (route) => {
      if (route.request().method() === 'PATCH' && ++pieces === 4)
        broken = breakStaging(site).then((how) => {
          mend = how
        })
      await broken
      await route.continue().catch(() => {})
    })
    try {
      await saidOf(page, ERROR_NUMBER, async () => pieces >= 4)
    } finally {
      await mend?.()
    }
    await page.unroute('**/subidas/**')
    expect(seen.bytes).toBeGreaterThan(1_000_000)
  })
  const bad = '**/registro/envio'
  await softStep('an answer of a proxy itself has no number, and the form stays all the same', async () => {
    await page.route(bad, (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    )
    await button(page).click()
    await saidOf(page, /^No pudimos guardar tu registro por una falla nuestra; .* avisa al comité/)
    await expect(banner(page)).not.toContainText('número')
    await page.unroute(bad)
    // A chunk that met the fault may be stored in part; only its rest is sent again.
    expect(seen.bytes).toBeLessThanOrEqual(total)
  })
  const { begun, posted } = seen
  await softStep('a registration whose answer a proxy lost is not uploaded again', async () => {
    await page.route(
      bad,
      async (route) => {
        await route.fetch()
        await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway Time-out</h1>' })
      },
      { times: 1 },
    )
    await button(page).click()
    await expect(page.getByText(WAITING)).toBeVisible()
    await page.clock.runFor(4_000)
    await expect(good(page)).toBeVisible()
    expect({ begun: seen.begun, posted: seen.posted }).toEqual({ begun, posted: posted + 2 })
    expect(await site.sql('select id from registros where nombre = $1', [name])).toHaveLength(1)
  })
})

test('faults of a costume’s form, and of a document that is asked for again', async ({ page, site }) => {
  await page.clock.install()
  await goToCostumeForm(page)
  const seen = watchUploads(page)
  await fill(page, { 'Nombre del traje': 'Traje de la falla' })
  await choose(page)
  await softStep('data that cannot be stored: no file is sent twice, one costume is registered', async () => {
    await site.sql('alter table trajes_tipicos rename to trajes_aparte')
    try {
      await button(page).click()
      await saidOf(page, ERROR_NUMBER)
    } finally {
      await site.sql('alter table trajes_aparte rename to trajes_tipicos')
    }
    expect(seen.posted).toBe(3)
    await expect(field(page, 'Nombre del traje')).toHaveValue('Traje de la falla')
    await expect(page.getByRole('button', { name: 'Quitar frente.jpg' })).toBeVisible()
    const { bytes, begun } = seen
    await button(page).click()
    await expect(good(page)).toBeVisible()
    expect({ bytes: seen.bytes, begun: seen.begun }).toEqual({ bytes, begun })
    expect(await site.sql(`select id from trajes_tipicos where nombre_traje = 'Traje de la falla'`)).toHaveLength(1)
  })
  const folio = (await page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/).textContent())!
  await site.sql(
    `with entry as (update inscripciones set estado = 'falta-documento' where folio = $1 returning id)
     insert into solicitudes (inscripcion_id, clase, nota) select id, 'bocetoFrontal', 'Se ve borroso.' from entry`,
    [folio],
  )
  await page.goto(`/folio#${folio}`)
  await hydrated(page)
  await softStep('by the folio, too: the document stays chosen, and one press goes on', async () => {
    const file = page.getByLabel('Boceto frontal', { exact: true })
    await file.setInputFiles(photo('nitido.jpg'))
    const send = page.getByRole('button', { name: 'Enviar documento' })
    const mend = await breakStaging(site)
    try {
      await send.click()
      await saidOf(page, ERROR_NUMBER)
    } finally {
      await mend()
    }
    await expect(banner(page).locator('xpath=ancestor::*[@tabindex="-1"][1]')).toBeFocused()
    expect(await file.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('nitido.jpg')
    await expectFits(page)
    await send.click()
    await expect(page.getByRole('status').filter({ hasText: 'Recibimos tu documento.' })).toBeVisible()
  })
})
