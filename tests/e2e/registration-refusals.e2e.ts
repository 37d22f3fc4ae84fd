import { randomBytes } from 'node:crypto'
import { button, chooseDocuments, documents, fillFields, goToRegistration, photo } from './registration-form.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

test('a broken photograph is reported at its file, everything else stays, and a site under load takes the form later', async ({
  page,
  site,
  expectedErrors,
}) => {
  // The refused upload is gone when its file is replaced.
  expectedErrors.push(/status of (404|422|429)/)
  await page.clock.install()
  const name = 'Abril Tila Prueba'
  await goToRegistration(page)
  await fillFields(page, { nombre: name })
  const roto = {
    ...photo('rota.jpg'),
    buffer: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(196)]),
  }
  await chooseDocuments(page, { ...documents(), bodyPhoto: roto })
  await button(page).click()
  const said = 'La imagen "rota.jpg" no se puede abrir: está incompleta o dañada. Vuelve a tomarla o elige otra.'
  await expect(page.getByRole('alert').filter({ hasText: said }).first()).toBeVisible()
  await expect(page.getByText(said)).toHaveCount(2)
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
  expect(await site.sql('select id from registros where nombre = $1', [name])).toEqual([])
  for (const name of ['frente.jpg', 'vuelta.jpg', 'constancia.pdf'])
    await expect(page.getByRole('button', { name: `Quitar ${name}` })).toBeVisible()

  await page.getByLabel('Foto Cuerpo (traje de baño)', { exact: true }).setInputFiles(photo('buena.jpg'))
  const refuse = (reason: string) => ({
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '4' },
    body: JSON.stringify({ ok: false, reason, message: 'Espera', campos: [], valores: {}, recibidos: {}, entrega: '' }),
  })
  await softStep('a form refused for load waits, loses nothing, and goes on without a press', async () => {
    // Refusals of a site under load: first of the remaining upload, then of the form.
    await page.route('**/subidas', (route) => route.fulfill(refuse('saturado')), { times: 1 })
    await page.route('**/registro/envio', (route) => route.fulfill(refuse('limite')), { times: 1 })
    await button(page).click()
    await expect(page.getByText(/recibiendo muchos archivos; seguimos/)).toBeVisible()
    await page.clock.runFor(4_000)
    await expect(page.getByText(/Desde tu conexión llegaron demasiados archivos; seguimos/)).toBeVisible()
    await page.clock.runFor(4_000)
    await expect(page.getByRole('status').filter({ hasText: 'Registro exitoso.' })).toBeVisible()
    expect(await site.sql('select id from registros where nombre = $1', [name])).toHaveLength(1)
  })
})
