// Longer than 350 lines: one journey over every connection that a phone may have.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page, Route } from '@playwright/test'
import {
  button,
  chooseDocuments,
  documents,
  fillFields,
  goToRegistration,
  hydrated,
  photo,
  storedOnDevice,
} from './registration-form.ts'
import { expect, type Site, test } from './site.ts'
import { softStep } from './soft-step.ts'

// Requests are cut here on purpose, which the browser reports.
test.use({ expectedErrors: [[/net::ERR_|Failed to load resource|dynamically imported module/], { scope: 'test' }] })

const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
const whole = (page: Page) => page.getByRole('progressbar', { name: 'Avance del registro' })
const goOn = (page: Page) => page.getByRole('button', { name: 'Continuar donde me quedé' })

async function storedBytes(site: Site, name: string, kind: string): Promise<Buffer[]> {
  const [row] = await site.sql<{ carpeta: string }>('select carpeta from registros where nombre = $1', [name])
  const paths = (await site.objects('registro')).filter((path) => path.startsWith(`${row!.carpeta}/${kind}`))
  return Promise.all(paths.map((path) => readFile(join(site.dataDir, 'objects/registro', path))))
}

const percentOf = (page: Page) => whole(page).evaluate((bar: HTMLProgressElement) => bar.value)

const countOf = async (site: Site, name: string) =>
  (await site.sql('select id from registros where nombre = $1', [name])).length

/** Lets this many chunks pass, then holds every upload until `open` is called. */
async function gate(page: Page, pieces: number) {
  let passed = 0
  let open = () => {}
  const held = new Promise<void>((resolve) => {
    open = resolve
  })
  const handler = async (route: Route) => {
    if (route.request().method() === 'PATCH' && ++passed > pieces) await held
    await route.continue().catch(() => {})
  }
  await page.route('**/subidas/**', handler)
  return { open, seen: () => passed, lift: () => page.unroute('**/subidas/**', handler) }
}

/** Fills and sends a form with three photographs of three chunks each, and three files of one chunk. */
async function fillAndSend(page: Page, name: string, bytes = 2_500_000) {
  const sent = documents(bytes)
  await fillFields(page, { nombre: name })
  await chooseDocuments(page, sent)
  await button(page).click()
  return sent
}

test('a form that is sending, with another tab beside it and the connection cut', async ({ page, context, site }) => {
  const name = 'Julia Tepozán Prueba'
  await goToRegistration(page)
  const { open } = await gate(page, 4)
  const sent = await fillAndSend(page, name)
  await softStep('the button says so and stays in reach, each file and the whole show how far they are', async () => {
    await expect(button(page)).toHaveText('Subiendo información...')
    await expect(button(page)).toHaveAttribute('aria-disabled', 'true')
    await button(page).focus()
    await expect(button(page)).toBeFocused()
    await expect(page.getByRole('progressbar')).toHaveCount(6)
    await expect.poll(() => percentOf(page)).toBeGreaterThan(5)
    await page.keyboard.press('Enter')
  })
  await softStep('two tabs never drive one draft', async () => {
    const other = await context.newPage()
    await goToRegistration(other)
    await other.waitForTimeout(300)
    await expect(goOn(other)).toHaveCount(0)
    await other.close()
  })
  await softStep('offline in the middle: it says so, and waits', async () => {
    await context.setOffline(true)
    open()
    await expect(page.getByText('Sin conexión: seguimos en cuanto vuelva la señal.')).toBeVisible()
    await page.waitForTimeout(1_000)
    await expect(button(page)).toHaveText('Subiendo información...')
  })
  await context.setOffline(false)
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
  await softStep('it goes on by itself, and every byte is there once', async () => {
    await expect(page.getByRole('progressbar')).toHaveCount(0)
    const [front] = await storedBytes(site, name, 'credencialElector_anverso')
    expect(front!.equals(sent.voterCard[0]!.buffer)).toBe(true)
    const [body] = await storedBytes(site, name, 'fotoCuerpo')
    expect(body!.equals(sent.bodyPhoto.buffer)).toBe(true)
    expect(await countOf(site, name)).toBe(1)
  })
})

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
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
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
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
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
  await expect(good(page)).toBeVisible({ timeout: 40_000 })
  expect(await countOf(site, name)).toBe(1)
})

/** Whether the draft on this device was being sent when it was last saved. */
const draftOnItsWay = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<boolean | undefined>((resolve) => {
        const request = indexedDB.open('registro')
        request.onsuccess = () => {
          const found = request.result.transaction('borradores').objectStore('borradores').getAll()
          found.onsuccess = () => {
            request.result.close()
            resolve(found.result[0]?.enviando)
          }
        }
      }),
  )

test('once sent, another tab is offered to go on, and its reader is taken to the offer', async ({
  page,
  context,
  site,
}) => {
  const name = 'Berenice Tejocote Prueba'
  await goToRegistration(page)
  await gate(page, 5)
  await fillAndSend(page, name)
  await expect.poll(() => percentOf(page)).toBeGreaterThan(5)
  await page.close()
  const other = await context.newPage()
  await goToRegistration(other)
  const offer = other.getByRole('region', { name: 'Tienes un registro a medias' })
  await expect(offer).toBeFocused()
  await expect(offer).toBeInViewport()
  await expect(other.getByLabel('Nombre', { exact: true })).toHaveValue('')
  await goOn(other).click()
  await expect(other.getByLabel('Nombre', { exact: true })).toHaveValue(name)
  await expect(good(other)).toBeVisible({ timeout: 40_000 })
  expect(await countOf(site, name)).toBe(1)
})

test('a submission that is stopped by hand, twice', async ({ page, site }) => {
  const name = 'Daniela Copal Prueba'
  const stop = page.getByRole('button', { name: 'Detener' })
  await goToRegistration(page)
  const first = await gate(page, 5)
  await fillAndSend(page, name)
  await stop.click()
  await expect(button(page)).toHaveText('Enviar Registro')
  first.open()
  await first.lift()
  await softStep('a submission stopped by hand comes back after a reload, and waits to be sent', async () => {
    await expect.poll(() => draftOnItsWay(page)).toBe(false)
    await page.reload()
    await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
    await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
    await expect(page.getByText('cuerpo.jpg')).toBeVisible()
    await expect(button(page)).toHaveText('Enviar Registro')
  })
  await hydrated(page)
  const second = await gate(page, 2)
  await button(page).click()
  await softStep('stopped by hand: nothing is lost, and pressing again goes on', async () => {
    await stop.click()
    await expect(button(page)).toHaveText('Enviar Registro')
    await expect(button(page)).toBeFocused()
    second.open()
    await second.lift()
  })
  await softStep('a file that the device takes back is asked for again, once', async () => {
    const body = page.getByLabel('Foto Cuerpo (traje de baño)', { exact: true })
    const folder = await mkdtemp(join(tmpdir(), 'certamen-archivo-'))
    const path = join(folder, 'cuerpo.jpg')
    await writeFile(path, photo('cuerpo.jpg', 90_000).buffer)
    await body.setInputFiles(path)
    await expect(page.getByText('88 KB')).toBeVisible()
    await rm(folder, { recursive: true })
    await button(page).click()
    await expect(page.getByRole('alert')).toHaveText('Ya no podemos leer el archivo "cuerpo.jpg". Elígelo otra vez.')
    await body.setInputFiles(photo('cuerpo.jpg'))
  })
  await softStep('a correction made meanwhile is registered', async () => {
    await page.getByLabel('Edad', { exact: true }).fill('25')
    await button(page).click()
    await expect(good(page)).toBeVisible({ timeout: 40_000 })
    expect(await site.sql('select edad from registros where nombre = $1', [name])).toEqual([{ edad: 25 }])
  })
})

test('a browser without storage, over a connection that has gone silent', async ({ page, site }) => {
  const name = 'Teresa Huanacaxtle Prueba'
  await page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', { value: undefined })
    Object.defineProperty(navigator, 'locks', { value: undefined })
  })
  await page.clock.install()
  await goToRegistration(page)
  let silent = 0
  await page.route('**/subidas/**', async (route) => {
    if (route.request().method() === 'PATCH' && silent++ < 2) return // never answered
    await route.continue()
  })
  await fillAndSend(page, name, 50_000)
  await softStep('the connection is given up and taken up again', async () => {
    await expect.poll(() => silent).toBe(2)
    await page.clock.runFor(32_000)
    await expect.poll(() => silent).toBeGreaterThan(2)
  })
  await softStep('the browser registers all the same', async () => {
    await expect(good(page)).toBeVisible({ timeout: 40_000 })
    expect(await countOf(site, name)).toBe(1)
  })
})
