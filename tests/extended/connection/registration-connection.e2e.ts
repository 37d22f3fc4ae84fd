import { countOf, fillAndSend, gate, goOn, good, percentOf, storedBytes } from '../../e2e/cut-registration.ts'
import {
  button,
  chooseDocuments,
  fillFields,
  goToRegistration,
  hydrated,
  photo,
  storedOnDevice,
} from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'
import { softStep } from '../../e2e/soft-step.ts'

// Requests are cut here on purpose, which the browser reports.
test.use({ expectedErrors: [[/net::ERR_|Failed to load resource|dynamically imported module/], { scope: 'test' }] })

test('a submission whose requests are refused, cut and lost', async ({ page, site }) => {
  const name = 'Irene Guayacán Prueba'
  await goToRegistration(page)
  const message = 'El servidor se quedó sin espacio para guardar tu archivo.'
  await page.route('**/subidas', (route) => route.fulfill({ status: 507, json: { reason: 'sinEspacio', message } }))
  const { birthCertificate, voterCard, studyCertificate, facePhoto, bodyPhoto } = await fillAndSend(page, name)
  await softStep('a refusal of the server is shown in its own words, with everything kept', async () => {
    await expect(page.getByRole('alert')).toHaveText(message)
    await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
    await expect(page.getByText('frente.jpg')).toBeVisible()
  })
  await page.unroute('**/subidas')

  let seen = 0
  let bytes = 0
  await page.route('**/subidas/**', async (route) => {
    seen++
    if (seen % 5 === 0) return route.abort('connectionreset')
    bytes += route.request().postDataBuffer()?.byteLength ?? 0
    return route.continue()
  })
  let lost = 0
  await page.route('**/registro/envio', async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await button(page).click()
  await expect(good(page)).toBeVisible()
  await softStep(
    'requests that fail now and then cost retries only, and no piece that arrived is sent again',
    async () => {
      const all = [birthCertificate, ...voterCard, studyCertificate, facePhoto, bodyPhoto]
      expect(seen).toBeGreaterThanOrEqual(5)
      expect(bytes).toBe(all.reduce((sum, one) => sum + one.buffer.byteLength, 0))
    },
  )
  await softStep('an answer that is lost is asked for again: one registration', async () => {
    expect(lost).toBe(2)
    expect(await countOf(site, name)).toBe(1)
  })
})

test('a submission left in the middle goes on by itself from where it was', async ({ page, site }) => {
  const name = 'Natalia Mezquite Prueba'
  await page.goto('/')
  await goToRegistration(page)
  let now = await gate(page, 5)
  const sent = await fillAndSend(page, name)
  await expect.poll(() => percentOf(page)).toBeGreaterThan(10)
  await expect.poll(now.seen).toBe(7)
  let created = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/subidas')) created++
  })
  /** Releases the requests of the previous visit, and lets one chunk of the next visit pass. */
  const visit = async (come: () => Promise<unknown>) => {
    now.open()
    await now.lift()
    now = await gate(page, 1)
    await come()
    await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
    await expect.poll(now.seen).toBeGreaterThanOrEqual(2)
    await expect(button(page)).toHaveText('Subiendo información...')
    await expect(goOn(page)).toHaveCount(0)
  }
  await softStep('by Back, and there again by Forward', async () => {
    await page.goBack()
    await expect(page).toHaveURL(/\/$/)
    await visit(() => page.goForward())
  })
  await softStep('by a link inside the site, which stops it, and there again', async () => {
    await page.locator('form').getByRole('link', { name: 'Aviso de privacidad' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Aviso de privacidad')
    await visit(() => page.goBack())
  })
  await softStep('by a reload, with its files, and the focus where it was', async () => {
    await visit(() => page.reload())
    await expect(page.getByText('frente.jpg')).toBeVisible()
    await expect(button(page)).toBeFocused()
    await expect(button(page)).toBeInViewport()
  })
  now.open()
  await expect(good(page)).toBeVisible()
  await softStep('one registration with every byte, and nothing left to go on with', async () => {
    // Uploads under way were resumed, not created again.
    expect(created).toBeLessThan(6)
    const [front] = await storedBytes(site, name, 'credencialElector_anverso')
    expect(front!.equals(sent.voterCard[0]!.buffer)).toBe(true)
    expect(await countOf(site, name)).toBe(1)
    await page.reload()
    await hydrated(page)
    await expect(goOn(page)).toHaveCount(0)
  })
})

test('«Empezar de nuevo» forgets it all, here and on the server', async ({ page, site }) => {
  const staged = async () => (await site.sql('select id from subidas')).length
  const before = await staged()
  await goToRegistration(page)
  const { open, seen, lift } = await gate(page, 4)
  await fillAndSend(page, 'Ana Sauce Prueba', 1_500_000)
  // Two files wait with a chunk each. No upload is being created, whose address would be lost.
  await expect.poll(seen).toBe(6)
  expect(await staged()).toBeGreaterThan(before)
  await page.reload()
  await expect.poll(seen).toBe(8)
  await page.getByRole('button', { name: 'Empezar de nuevo' }).click()
  open()
  await lift()
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue('')
  await expect(page.getByLabel('Nombre', { exact: true })).toBeFocused()
  await expect(button(page)).toHaveText('Enviar Registro')
  await expect.poll(() => storedOnDevice(page)).toEqual([0, 0])
  await expect.poll(staged).toBe(before)
  await page.reload()
  await hydrated(page)
  await expect(goOn(page)).toHaveCount(0)
})

test('a form that was not sent', async ({ page, context }) => {
  const name = page.getByLabel('Nombre', { exact: true })
  const face = page.getByLabel('Foto Rostro', { exact: true })
  await goToRegistration(page)
  await name.fill('Ana Palo Verde')
  await face.setInputFiles(photo('rostro.jpg'))
  await page.getByLabel('Foto Cuerpo (traje de baño)', { exact: true }).setInputFiles(photo('cuerpo.jpg'))
  await expect.poll(() => storedOnDevice(page)).toEqual([1, 2])

  await softStep('an unsent draft belongs to its own tab alone', async () => {
    await page.goto('/aviso-de-privacidad')
    const other = await context.newPage()
    await goToRegistration(other)
    await other.waitForTimeout(300)
    await expect(goOn(other)).toHaveCount(0)
    await other.close()
    await page.goBack()
    await expect(page.getByText('rostro.jpg')).toBeVisible()
    await expect(goOn(page)).toHaveCount(0)
    await expect.poll(() => storedOnDevice(page)).toEqual([1, 2])
  })

  await softStep('where the device is slow to find the draft, text typed first makes no second one', async () => {
    await page.addInitScript(() => {
      const { query } = LockManager.prototype
      LockManager.prototype.query = async function () {
        await new Promise((resolve) => setTimeout(resolve, 900))
        return query.call(this)
      }
    })
    await page.goto('/aviso-de-privacidad')
    await page.goBack()
    await name.fill('Ana Palo Verde')
    await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
    await expect(name).toHaveValue('Ana Palo Verde')
    await expect.poll(() => storedOnDevice(page)).toEqual([1, 2])
  })

  await softStep('a file that the device did not keep is asked for again, beside its row', async () => {
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const request = indexedDB.open('registro')
          request.onsuccess = () => {
            const lost = request.result.transaction('archivos', 'readwrite')
            lost.objectStore('archivos').openCursor().onsuccess = (event) => {
              const cursor = (event.target as IDBRequest<IDBCursorWithValue>).result
              if ((cursor.value as File).name === 'rostro.jpg') cursor.delete()
              else cursor.continue()
            }
            lost.oncomplete = () => {
              request.result.close()
              resolve()
            }
          }
        }),
    )
    await page.reload()
    await expect(page.getByText('cuerpo.jpg')).toBeVisible()
    await expect(name).toHaveValue('Ana Palo Verde')
    const asked = 'Este archivo no quedó guardado en tu dispositivo: elígelo otra vez.'
    await expect(face).toHaveAccessibleDescription(new RegExp(asked))
    await expect(page.getByText(asked)).toHaveCount(1)
    await face.setInputFiles(photo('rostro.jpg'))
    await expect(page.getByText(asked)).toHaveCount(0)
  })

  await softStep('failed requests beside the form never cost the typed text', async () => {
    await name.fill('Ana Jarilla')
    await page.route('**/assets/**', (route) => route.abort())
    await page.route('**/*.data*', (route) => route.abort())
    await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
    await page.getByRole('contentinfo').getByRole('link', { name: 'Aviso de privacidad' }).hover()
    await page.waitForTimeout(800)
    await expect(name).toHaveValue('Ana Jarilla')
    await page.unrouteAll()
  })

  await softStep('a draft is forgotten after a day', async () => {
    await expect.poll(() => storedOnDevice(page)).toEqual([1, 2])
    await page.clock.setFixedTime(Date.now() + 25 * 60 * 60_000)
    await page.reload()
    await expect.poll(() => storedOnDevice(page)).toEqual([0, 0])
    await expect(goOn(page)).toHaveCount(0)
  })
})

test('where the uploader cannot be had, the plain form takes over', async ({ page, site }) => {
  const name = 'Emilia Fresno Prueba'
  await goToRegistration(page)
  await fillFields(page, { nombre: name })
  // The first file chosen after this asks for the uploader.
  await page.route('**/assets/*.js', (route) => route.abort())
  await chooseDocuments(page)
  await button(page).click()
  await expect(good(page)).toBeVisible()
  expect(await countOf(site, name)).toBe(1)
})
