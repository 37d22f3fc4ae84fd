import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { countOf, fillAndSend, gate, goOn, good, percentOf, storedBytes } from '../../e2e/cut-registration.ts'
import { button, goToRegistration, hydrated, photo } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'
import { softStep } from '../../e2e/soft-step.ts'

// Requests are cut here on purpose, which the browser reports.
test.use({ expectedErrors: [[/net::ERR_|Failed to load resource|dynamically imported module/], { scope: 'test' }] })

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
  await expect(good(page)).toBeVisible()
  await softStep('it goes on by itself, and every byte is there once', async () => {
    await expect(page.getByRole('progressbar')).toHaveCount(0)
    const [front] = await storedBytes(site, name, 'credencialElector_anverso')
    expect(front!.equals(sent.voterCard[0]!.buffer)).toBe(true)
    const [body] = await storedBytes(site, name, 'fotoCuerpo')
    expect(body!.equals(sent.bodyPhoto.buffer)).toBe(true)
    expect(await countOf(site, name)).toBe(1)
  })
})

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
  await expect(good(other)).toBeVisible()
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
    await expect(good(page)).toBeVisible()
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
    await expect(good(page)).toBeVisible()
    expect(await countOf(site, name)).toBe(1)
  })
})
