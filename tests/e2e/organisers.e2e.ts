// Longer than 350 lines: an organiser’s day in the panel, over one site with its entries.
import { readFile } from 'node:fs/promises'
import type { Locator } from '@playwright/test'
import { candidateFiles } from '../support/entries/seeded-entries.ts'
import { expectAccessible } from './accessible.ts'
import { PASSWORD, signedIn, signIn } from './accounts.ts'
import { hydrated } from './registration-form.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'
import { sow } from './sow-entries.ts'

/** Waits until a picture has loaded whole: by then the audit log has its line. */
const whole = (picture: Locator) =>
  expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)

/** A PDF of one empty page, written by hand. */
function unPdf(): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Resources<<>>>>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj${object}endobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const xref = `xref\n0 4\n0000000000 65535 f \n${places.join('')}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text + xref, 'latin1')
}

test('an organiser signs in, finds an entry, looks at its documents, decides, asks for one again and takes it back', async ({
  page,
  site,
}) => {
  const evil = '<script>alert(1)</script>'
  const [ana] = await sow(site, [{ titular: 'Ana Nardo Íñiguez', edad: 27 }, { titular: evil }, { tipo: 'traje' }])
  const { correo } = await signedIn(site, 'admin')
  await page.goto('/organizadores')
  await expect(page.getByRole('heading', { name: 'Organización' })).toBeVisible()
  await page.getByLabel('Correo Electrónico').fill(correo)
  await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Iniciar sesión' }).click()
  await expect(page.getByRole('link', { name: evil })).toBeVisible()
  await expectAccessible(page)

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
  await whole(page.getByRole('img', { name: /en grande/ }))
  await expectAccessible(page)

  await page.getByLabel('Pasa a').selectOption('aceptada')
  await page.getByLabel('Nota (opcional, para la organización)').fill('Todo en orden')
  await page.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(page.getByText('Listo: el cambio quedó guardado.')).toBeVisible()
  await expect(page.getByText('Todo en orden')).toHaveCount(1)
  await page.getByLabel('Documento', { exact: true }).selectOption({ label: 'Acta de nacimiento' })
  await page.getByLabel('Qué le falta (lo lee la persona)').fill('Falta la segunda hoja')
  await expect(page.getByText(/^No dejó correo: llámale al .+ y dile que lo suba .+ con el folio /)).toBeVisible()
  await page.getByRole('button', { name: 'Pedir de nuevo' }).click()
  await expect(page.getByText('Acta de nacimiento, pedido hace un momento: Falta la segunda hoja')).toBeVisible()
  await page.getByRole('button', { name: 'Deshacer el último cambio' }).click()
  await expect(page.getByText('Se deshizo el cambio anterior.')).toBeVisible()
  const [row] = await site.sql<{ estado: string; version: number }>(
    'select estado, version from inscripciones where id = $1',
    [ana],
  )
  expect(row).toEqual({ estado: 'aceptada', version: 4 })

  // Each opened document is one line of the audit log. The address works in no other session, not even of the same person.
  const looks = await site.sql("select 1 from bitacora where que = 'documento.visto' and inscripcion = $1", [ana])
  expect(looks).toHaveLength(2)
  const other = await signedIn(site, 'admin')
  const asked = await fetch(site.url + address, { headers: { cookie: `${other.name}=${other.value}` } })
  expect(asked.status).toBe(403)
})

test('the cards of the jury bring every picture that there is, and words for the others', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/422/)
  const files = candidateFiles()
  const face = files.find(({ clase }) => clase === 'fotoRostro')!
  Object.assign(face, { tipo: 'image/heic', body: await readFile('tests/samples/foto.heic') })
  const ids = await sow(site, [
    { titular: 'Con HEIC', files },
    { titular: 'Foto rota', files: candidateFiles().map((one) => ({ ...one, body: Buffer.from('roto') })) },
    { titular: 'Con PDF', files: candidateFiles().map((one) => ({ ...one, tipo: 'application/pdf' })) },
    { titular: 'Sin archivo' },
  ])
  await site.sql(`delete from documentos where inscripcion_id = $1 and clase = 'fotoRostro'`, [ids[3]])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/impresion?${ids.map((id) => `id=${id}`).join('&')}`)
  await expect(page.getByRole('status')).toHaveText('Las imágenes están listas para imprimir.')
  const shown = page.getByRole('img', { name: 'Foto de Con HEIC' })
  expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320)
  await expect(page.getByRole('listitem').filter({ hasText: 'Foto rota' })).toContainText('no se pudo abrir')
  await expect(page.getByRole('listitem').filter({ hasText: 'Con PDF' })).toContainText('El archivo es un PDF')
  await expect(page.getByRole('listitem').filter({ hasText: 'Sin archivo' })).toContainText('Falta el archivo')
  await expectAccessible(page)
})

test('a PDF is read within the entry, with the mark, in a frame of the site itself', async ({
  page,
  site,
  expectedErrors,
}) => {
  // The other documents are no pictures, and have no thumbnail.
  expectedErrors.push(/422/)
  const files = candidateFiles()
  const record = files.find(({ clase }) => clase === 'actaNacimiento')!
  Object.assign(record, { tipo: 'application/pdf', nombre: 'acta.pdf', body: unPdf() })
  const studyCertificate = files.find(({ clase }) => clase === 'constanciaEstudios')!
  Object.assign(studyCertificate, { tipo: 'application/pdf', nombre: 'rota.pdf', body: Buffer.from('%PDF-1.7\nroto') })
  const [id] = await sow(site, [{ titular: 'Ana Copal', files }])
  await signIn(page.context(), site, 'admin')
  // The way leads from another screen of the panel, whose policy allows no frames.
  await page.goto('/organizadores')
  await page.getByRole('link', { name: 'Ana Copal' }).click()
  const asked = page.waitForResponse((response) => /\/organizadores\/documentos\/(?!.*miniatura)/.test(response.url()))
  await page.getByRole('link', { name: 'Acta de nacimiento', exact: true }).click()
  await expect(page.locator('iframe[title="Acta de nacimiento, en PDF"]')).toBeVisible()
  const headers = (await asked).headers()
  expect(headers).toMatchObject({ 'content-type': 'application/pdf', 'x-frame-options': 'SAMEORIGIN' })
  expect(headers['content-security-policy']).toContain("frame-ancestors 'self'")
  const screen = await page.request.get(page.url())
  expect(screen.headers()).toMatchObject({ 'x-frame-options': 'DENY' })
  const looks = () => site.sql("select 1 from bitacora where que = 'documento.visto' and inscripcion = $1", [id])
  expect(await looks()).toHaveLength(1)
  // A PDF that cannot bear the watermark stands below the mark.
  await page.getByRole('link', { name: 'Constancia de estudios', exact: true }).click()
  const beside = page.frameLocator('iframe[title="Constancia de estudios, en PDF"]')
  await expect(beside.getByText('Solo para este certamen.')).toBeVisible()
  await expect(beside.locator('iframe')).toHaveAttribute('src', /tal=si/)
  await expect.poll(looks).toHaveLength(2)
})

test('the panel fits the smallest phone with text twice as large', async ({ page, site }) => {
  const [id] = await sow(site, [{ titular: 'Ana Nardo Íñiguez', edad: 17 }])
  // The widest possible folio.
  await site.sql(`update inscripciones set folio = 'WMWM-WMWM-WMWM', estado = 'falta-documento' where id = $1`, [id])
  await signIn(page.context(), site, 'admin')
  await page.setViewportSize({ width: 360, height: 740 })
  const entry = `inscripciones/${id}`
  for (const path of ['', entry, `impresion?id=${id}`, 'personas', 'bitacora', 'edicion', 'privacidad']) {
    await page.goto(`/organizadores/${path}`.replace(/\/$/, ''))
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), path).toBe(360)
  }
  // The current section is in view.
  await page.getByRole('button', { name: 'Más', exact: true }).click()
  const current = page.getByRole('navigation', { name: 'Panel' }).getByRole('link', { name: 'Privacidad' })
  await expect(current).toHaveAttribute('aria-current', 'page')
  await expect(current).toBeInViewport({ ratio: 1 })
})

test('the list begins near the top on every screen, below a notice and an advice', async ({ page, site }) => {
  await sow(site, [{ titular: 'Ana Nardo Íñiguez' }])
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores')
  await expect(page.getByText(/^\d avisos? más$/)).toBeVisible()
  for (const [width, height] of [
    [360, 740],
    [768, 1024],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expect
      .poll(async () => (await page.locator('form:has(> table)').boundingBox())!.y, `${width} px`)
      .toBeLessThanOrEqual(260)
  }
})

test('a missing entry or letter is reported within the panel, with a way back to its list', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/404/)
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores/inscripciones/999999')
  await expect(page.getByRole('alert')).toHaveText(/Esa inscripción no existe/)
  await page.getByRole('link', { name: 'Volver a las inscripciones' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Inscripciones' })).toBeVisible()
  await page.goto('/organizadores/mensajes/no-existe')
  await expect(page.getByRole('alert')).toHaveText(/Esa carta no existe/)
  await page.getByRole('link', { name: 'Volver a los mensajes' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Mensajes' })).toBeVisible()
})

test('no address that is wrong makes the panel fail', async ({ site }) => {
  const { name, value } = await signedIn(site, 'admin')
  const ask = (path: string) => fetch(`${site.url}/organizadores${path}`, { headers: { cookie: `${name}=${value}` } })
  for (const id of ['999999', '1e99', '1.5', '9223372036854775808']) {
    const answer = await ask(`/inscripciones/${id}`)
    expect(answer.status, id).toBe(404)
    expect(await answer.text(), id).toMatch(/role="alert"[^>]*>(<[^>]*>)*Esa inscripción no existe/)
  }
  for (const path of ['/bitacora?persona=%00', '/bitacora?clase=constructor', '?buscar=%00', '?desde=9007199254740991'])
    expect((await ask(path)).status, path).toBe(200)
})

test('the list, and the way from it to an entry and back', async ({ page, site }) => {
  const [id] = await sow(site, [{ titular: 'Vuelta Magnolia', edad: 30 }])
  await sow(site, [{ titular: 'Elegida Uno' }, { titular: 'Elegida Dos' }, { tipo: 'traje', titular: 'Elegida Tres' }])
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores?edad=fuera&buscar=vuelta')
  await hydrated(page)
  await page.getByRole('link', { name: 'Vuelta Magnolia' }).click()
  await softStep('a button pressed twice decides once', async () => {
    await page.getByLabel('Pasa a').selectOption('aceptada')
    await page.getByLabel('La persona también la lee, con su folio').check()
    await page.getByLabel('Nota (opcional, para la organización)').fill('Bienvenida')
    await page.getByRole('button', { name: 'Guardar decisión' }).dblclick()
    await expect(page.getByText('Listo: el cambio quedó guardado.')).toBeVisible()
    await expect(page.getByText('La persona la lee con su folio.')).toBeVisible()
    expect(await site.sql('select 1 from cambios where inscripcion_id = $1', [id])).toHaveLength(1)
  })
  await softStep('an entry leads back to the list as it was', async () => {
    await page.getByRole('link', { name: 'Foto de rostro', exact: true }).click()
    await whole(page.getByRole('img', { name: 'Foto de rostro, en grande' }))
    await page.getByRole('navigation', { name: 'Lista' }).getByRole('link', { name: 'Inscripciones' }).click()
    await expect(page).toHaveURL(/\?edad=fuera&buscar=vuelta$/)
    await expect(page.getByRole('row')).toHaveCount(2)
  })
  await softStep('an original file has a separate line in the log', async () => {
    const [{ path }] = (await site.sql<{ path: string }>('select path from documentos where inscripcion_id = $1', [
      id,
    ])) as [{ path: string }]
    expect((await page.request.get(`/archivos/registro/${path}`)).status()).toBe(200)
    await page.goto('/organizadores/bitacora?clase=Documentos+vistos')
    await expect(page.locator('tbody tr').first()).toContainText('Abrió un archivo original, sin marca')
  })

  await softStep('the box that chooses all says what is chosen, also when the list changes under it', async () => {
    await page.goto('/organizadores?buscar=elegida&tipo=candidata')
    const all = page.getByRole('checkbox', { name: 'Elegir todas las de esta página' })
    await hydrated(page)
    await all.check()
    await expect(page.getByRole('checkbox', { name: 'Elegir Elegida Uno' })).toBeChecked()
    await page.getByRole('checkbox', { name: 'Elegir Elegida Dos' }).uncheck()
    await expect(all).not.toBeChecked()
    expect(await all.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true)
    await all.check()
    await page.getByRole('link', { name: 'Trajes típicos' }).click()
    await expect(page.getByRole('checkbox', { name: 'Elegir Elegida Tres' })).not.toBeChecked()
    await expect(all).not.toBeChecked()
  })
})

test('the settings of the edition', async ({ page, site, expectedErrors }) => {
  expectedErrors.push(/422/)
  await signIn(page.context(), site, 'admin')
  await softStep('an organiser opens the press room to everybody, at once, and closes it again', async () => {
    await page.goto('/organizadores')
    const ask = async () => (await fetch(`${site.url}/galeria-candidatas`, { redirect: 'manual' })).status
    expect(await ask()).toBe(302)
    await page.getByRole('link', { name: 'Ajustes del año' }).click()
    await page.getByLabel('Cualquiera puede abrirlo, sin cuenta').check()
    const material = page.getByRole('form', { name: 'Material de prensa' })
    await material.getByRole('button', { name: 'Guardar' }).click()
    await expect(page.getByRole('status')).toHaveText('Listo: el cambio ya está en vigor.')
    expect(await ask()).toBe(200)
    await material.getByRole('button', { name: 'Volver a lo que dice el contenido' }).click()
    await expect(page.getByLabel('Cualquiera puede abrirlo, sin cuenta')).not.toBeChecked()
    expect(await ask()).toBe(302)
    await expectAccessible(page)
  })

  await softStep('days that would delete entries at once are asked for twice, by the server as well', async () => {
    const DAY_MS = 86_400_000
    const [id] = await sow(site, [{ titular: 'Breve Nopal', createdAt: new Date(Date.now() - 30 * DAY_MS) }])
    const form = page.getByRole('form', { name: 'Privacidad' })
    const days = page.getByLabel('Días que se conservan')
    const save = form.getByRole('button', { name: 'Guardar' })
    const kept = () => site.sql("select valor from ajustes where nombre = 'privacidad.dias' and valor <> 'null'")
    await days.fill('9')
    await save.click()
    await expect(page.getByRole('alert')).toContainText('Con 9 días vence el plazo de')
    await expect(days).toHaveValue('9')
    await expectAccessible(page)
    expect(await kept()).toEqual([])
    // The tick counts for this number of days only: another number asks anew.
    const checkbox = (days: number) => form.getByRole('checkbox', { name: `Entiendo que con ${days} días` })
    await checkbox(9).check()
    await days.fill('8')
    await save.click()
    await expect(checkbox(8)).not.toBeChecked()
    expect(await kept()).toEqual([])
    await days.fill('9')
    await save.click()
    await checkbox(9).check()
    await save.click()
    await expect(page.getByRole('status')).toHaveText('Listo: el cambio ya está en vigor.')
    expect(await kept()).toEqual([{ valor: 9 }])
    // The form is reset with the stored value first; typing has to wait.
    await expect(form.getByText(/^Lo cambió/)).toBeVisible()
    // Nothing is asked if no entry falls due.
    await days.fill('3000')
    await save.click()
    await expect.poll(kept).toEqual([{ valor: 3000 }])
    await site.sql(
      "with a as (delete from ajustes where nombre = 'privacidad.dias') delete from inscripciones where id = $1",
      [id],
    )
  })
})

test('an organiser deletes an entry at a person’s request, and hands over a receipt', async ({
  page,
  site,
  expectedErrors,
}) => {
  // A thumbnail may still be in the making when its entry is deleted.
  expectedErrors.push(/status of 404/)
  const before = await site.objects('registro')
  const [id] = await sow(site, [{ titular: 'Rosalía Pitaya' }])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/inscripciones/${id}`)
  await page.getByRole('link', { name: 'Borrar a solicitud de la persona' }).click()
  // The folio is in no address, so that no proxy's log has it.
  await expect(page).toHaveURL(`${site.url}/organizadores/privacidad?id=${id}`)
  await expect(page.getByLabel('Folio')).toHaveValue(/^[0-9A-F-]{14}$/)
  await page.getByLabel('Entiendo que no se puede deshacer').check()
  await page.getByRole('button', { name: 'Borrar la inscripción' }).click()
  await expect(page.getByRole('status')).toHaveText(/se borraron/)
  const receipt = await page
    .getByRole('region', { name: 'Acuse de borrado' })
    .getByText(/^Número B-/)
    .textContent()
  await expect(page.getByRole('row', { name: receipt!.slice('Número '.length) })).toContainText('Terminado')
  await expectAccessible(page)
  expect(await site.sql('select 1 from inscripciones where id = $1', [id])).toHaveLength(0)
  await expect.poll(() => site.objects('registro')).toEqual(before)
})

test('no public screen gets the code of the panel', async ({ page }) => {
  const code: string[] = []
  page.on('request', (request) => code.push(request.url()))
  for (const path of ['/', '/candidatas', '/registro', '/medios']) await page.goto(path, { waitUntil: 'networkidle' })
  expect(code.filter((url) => /panel\.page|entr(y|ies)\.page|decision|inbox/.test(url))).toEqual([])
})
