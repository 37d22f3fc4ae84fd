import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { createClock } from '#app/platform/clock.server.ts'
import { openDatabase, openPool } from '#app/platform/database.server.ts'
import { openFolderStorage } from '#app/platform/storage-folder.server.ts'
import { archivosDeCandidata, sembrarInscripcion } from '../inscripciones.ts'
import { CLAVE, signedIn, signIn } from './cuentas.ts'
import { expect, type Site, test } from './site.ts'

/** Entries put into the site's own database and storage. */
async function sow(site: Site, siembras: NonNullable<Parameters<typeof sembrarInscripcion>[1]>[]): Promise<number[]> {
  const host = join(site.dataDir, 'postgres.sockets')
  const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, 2)
  const services = { db: openDatabase(pool), storage: await openFolderStorage(site.dataDir), clock: createClock() }
  try {
    const ids: number[] = []
    for (const siembra of siembras) {
      const archivos = archivosDeCandidata()
      for (const one of archivos)
        one.body = await sharp({ create: { width: 300, height: 400, channels: 3, background: '#a86' } })
          .jpeg()
          .toBuffer()
      ids.push(await sembrarInscripcion(services, { ...(siembra.tipo === 'traje' ? {} : { archivos }), ...siembra }))
    }
    return ids
  } finally {
    await pool.end()
  }
}

const axe = async (page: Page) => expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])

test('an organiser signs in, finds an entry, looks at its documents, decides, asks for one again and takes it back', async ({
  page,
  site,
}) => {
  test.setTimeout(90_000)
  const evil = '<script>alert(1)</script>'
  const [ana] = await sow(site, [{ titular: 'Ana Nardo Íñiguez', edad: 27 }, { titular: evil }, { tipo: 'traje' }])
  const { correo } = await signedIn(site, 'admin')
  await page.goto('/organizadores')
  await expect(page.getByRole('heading', { name: 'Organización' })).toBeVisible()
  await page.getByLabel('Correo Electrónico').fill(correo)
  await page.getByLabel('Contraseña').fill(CLAVE)
  await page.getByRole('button', { name: 'Iniciar sesión' }).click()
  await expect(page.getByRole('link', { name: evil })).toBeVisible()
  await axe(page)

  await page.getByRole('searchbox').fill('iniguez')
  await page.getByRole('searchbox').press('Enter')
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page.getByText('fuera de 18–26', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Ana Nardo Íñiguez' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Ana Nardo Íñiguez' })).toBeVisible()

  await page.getByRole('link', { name: 'Credencial de elector, frente' }).click()
  const shown = page.getByRole('img', { name: 'Credencial de elector, frente, en grande' })
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300)
  const address = (await shown.getAttribute('src'))!
  await page.getByRole('link', { name: 'Foto de cuerpo (traje de baño)', exact: true }).click()
  await expect(page.getByText('traje de baño. Ábrela sólo si')).toBeVisible()
  await expect(page.getByRole('img', { name: /en grande/ })).toHaveCount(0)
  await page.getByRole('link', { name: 'Mostrar la fotografía' }).click()
  await expect(page.getByRole('img', { name: /en grande/ })).toBeVisible()
  await axe(page)

  await page.getByLabel('Pasa a').selectOption('aceptada')
  await page.getByLabel('Nota (opcional, para la organización)').fill('Todo en orden')
  await page.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(page.getByText('Listo: el cambio quedó guardado.')).toBeVisible()
  await expect(page.getByText('Todo en orden')).toHaveCount(1)
  await page.getByLabel('Documento', { exact: true }).selectOption({ label: 'Acta de nacimiento' })
  await page.getByLabel('Qué le falta (lo lee la persona)').fill('Falta la segunda hoja')
  await page.getByRole('button', { name: 'Pedir de nuevo' }).click()
  await expect(page.getByText('Acta de nacimiento, pedido hace un momento: Falta la segunda hoja')).toBeVisible()
  await page.getByRole('button', { name: 'Deshacer el último cambio' }).click()
  await expect(page.getByText('Se deshizo el cambio anterior.')).toBeVisible()
  const [row] = await site.sql<{ estado: string; version: number }>(
    'select estado, version from inscripciones where id = $1',
    [ana],
  )
  expect(row).toEqual({ estado: 'aceptada', version: 4 })

  // Each look is a line; another session, of the same person or not, does not open the same address.
  const looks = await site.sql("select 1 from bitacora where que = 'documento.visto' and sobre like $1", [
    `%inscripcion ${ana}`,
  ])
  expect(looks).toHaveLength(2)
  const other = await signedIn(site, 'admin')
  const asked = await fetch(site.url + address, { headers: { cookie: `${other.name}=${other.value}` } })
  expect(asked.status).toBe(403)
})

test('the second of two organisers is told what the first did, and loses nothing that was typed', async ({
  page,
  browser,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/409/)
  const [id] = await sow(site, [{ titular: 'Lucía Ceiba' }])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/inscripciones/${id}`)
  const second = await browser.newContext({ javaScriptEnabled: false, baseURL: site.url })
  const first = await signedIn(site, 'admin')
  await second.addCookies([{ name: first.name, value: first.value, url: site.url }])
  const plain = await second.newPage()
  await plain.goto(`/organizadores/inscripciones/${id}`)
  await plain.getByLabel('Pasa a').selectOption('rechazada')
  await plain.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(plain.getByText('Listo: el cambio quedó guardado.')).toBeVisible()

  await page.getByLabel('Pasa a').selectOption('aceptada')
  await page.getByLabel('Nota (opcional, para la organización)').fill('Una nota larga')
  await page.getByRole('button', { name: 'Guardar decisión' }).click()
  const told = page.getByRole('alert')
  await expect(told).toContainText(`mientras tanto ${first.correo} cambió esta inscripción`)
  await expect(told).toContainText('«rechazada»')
  await expect(page.getByLabel('Nota (opcional, para la organización)')).toHaveValue('Una nota larga')
  await page.getByLabel('Pasa a').selectOption('aceptada')
  await page.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(page.getByText('Listo: el cambio quedó guardado.')).toBeVisible()

  // Without JavaScript, too: the older page is refused, and gives back what was typed.
  await plain.getByLabel('Nota (opcional, para la organización)').fill('Otra nota')
  await plain.getByLabel('Pasa a').selectOption('en-revision')
  await plain.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(plain.getByText('No se guardó: mientras tanto')).toBeVisible()
  await expect(plain.getByLabel('Nota (opcional, para la organización)')).toHaveValue('Otra nota')
  await second.close()
})

test('an organiser opens the press room to everybody, at once, and closes it again', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores')
  const ask = async () => (await fetch(`${site.url}/galeria-candidatas`, { redirect: 'manual' })).status
  expect(await ask()).toBe(302)
  await page.getByRole('link', { name: 'Edición' }).click()
  await page.getByLabel('Cualquiera puede abrirlo, sin cuenta').check()
  const material = page.getByRole('form', { name: 'Material de prensa' })
  await material.getByRole('button', { name: 'Guardar' }).click()
  await expect(page.getByRole('status')).toHaveText('Listo: el cambio ya está en vigor.')
  expect(await ask()).toBe(200)
  await material.getByRole('button', { name: 'Volver a lo que dice el contenido' }).click()
  await expect(page.getByLabel('Cualquiera puede abrirlo, sin cuenta')).not.toBeChecked()
  expect(await ask()).toBe(302)
  await axe(page)
})

test('an organiser deletes an entry for whoever asks, and hands over a receipt', async ({ page, site }) => {
  const before = await site.objects('registro')
  const [id] = await sow(site, [{ titular: 'Rosalía Pitaya' }])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/inscripciones/${id}`)
  await page.getByRole('link', { name: 'Borrar a solicitud de la persona' }).click()
  await expect(page.getByLabel('Folio')).toHaveValue(/^[0-9A-F-]{14}$/)
  await page.getByLabel('Entiendo que no se puede deshacer').check()
  await page.getByRole('button', { name: 'Borrar la inscripción' }).click()
  await expect(page.getByRole('status')).toHaveText(/se borraron/)
  const receipt = await page
    .getByRole('region', { name: 'Acuse de borrado' })
    .getByText(/^Número B-/)
    .textContent()
  await expect(page.getByRole('row', { name: receipt!.slice('Número '.length) })).toContainText('Terminado')
  await axe(page)
  expect(await site.sql('select 1 from inscripciones where id = $1', [id])).toHaveLength(0)
  expect(await site.objects('registro')).toEqual(before)
})

test('nobody else gets anything of the panel, and no public screen its code', async ({ page, site }) => {
  await sow(site, [{ titular: 'Secreta Nopal' }])
  const press = await signedIn(site, 'prensa')
  for (const cookie of ['', `${press.name}=${press.value}`])
    for (const path of [
      '/organizadores',
      '/organizadores.data',
      '/organizadores/impresion',
      '/organizadores/impresion.data',
    ]) {
      const answer = await fetch(site.url + path, { headers: { cookie } })
      expect(await answer.text(), path).not.toContain('Secreta')
    }
  const code: string[] = []
  page.on('request', (request) => code.push(request.url()))
  for (const path of ['/', '/candidatas', '/registro', '/medios']) await page.goto(path, { waitUntil: 'networkidle' })
  expect(code.filter((url) => /organizadores|inscripci|juicio|panel\.page/.test(url))).toEqual([])
})
