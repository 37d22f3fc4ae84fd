import type { Page, Route } from '@playwright/test'
import { button, chooseDocuments, documents, fillFields, goToRegistration } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'

// The browser reports requests that a filter refuses or cuts.
test.use({ expectedErrors: [[/net::ERR_|Failed to load resource/], { scope: 'test' }] })

const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
const FILTER_REFUSAL = /un filtro de la escuela.*Lo que escribiste y elegiste sigue aquí: cambia a otra conexión/
const isPiece = (route: Route) => route.request().headers()['upload-offset'] !== undefined

/** Statuses with which filters refuse (see app/entries/submission/retry.test.ts); undefined closes the connection. */
const refusals = [405, undefined] as const
const NAMES: Record<string, string> = { 405: 'Uno', undefined: 'Dos' }
const refuse = (route: Route, status: number | undefined = 403) =>
  route.fulfill({ status, contentType: 'text/html', body: '<h1>Bloqueado</h1>' })

for (const status of refusals)
  test(`${status ?? 'a closed connection'} for every PATCH: the pieces go by POST`, async ({ page, site }) => {
    const name = `Dalia ${NAMES[String(status)]} Prueba`
    await goToRegistration(page)
    let whole = 0
    await page.route('**/*', (route) => {
      if (route.request().headers()['content-type']?.startsWith('multipart/')) whole++
      if (route.request().method() !== 'PATCH') return route.continue()
      return status === undefined ? route.abort('connectionreset') : refuse(route, status)
    })
    await fillFields(page, { nombre: name })
    await chooseDocuments(page, documents(1_500_000))
    await button(page).click()
    await expect(good(page)).toBeVisible()
    expect(await site.sql('select id from registros where nombre = $1', [name])).toHaveLength(1)
    expect(whole).toBe(0)
  })

test('if chunks or their headers do not pass, the plain form sends its files; if nothing passes, the page says so', async ({
  page,
  site,
}) => {
  const filters: Record<string, (route: Route) => Promise<void>> = {
    'no piece passes': (route) => (isPiece(route) ? refuse(route) : route.continue()),
    'nothing of the uploads passes': (route) => refuse(route),
    'the headers of the requests are taken away': async (route) => {
      const { 'tus-resumable': _, 'x-entrega': __, ...headers } = route.request().headers()
      await route.continue({ headers })
    },
    'the headers of the answers are taken away': async (route) => {
      const answer = await route.fetch()
      const { location: _, 'upload-offset': __, 'tus-resumable': ___, ...headers } = answer.headers()
      await route.fulfill({ response: answer, headers })
    },
  }
  await goToRegistration(page)
  for (const [at, [name, filter]] of Object.entries(filters).entries())
    await test.step(name, async () => {
      const name = `Violeta ${['Una', 'Dos', 'Tres', 'Cuatro'][at]} Prueba`
      await page.route('**/subidas**', filter)
      await page.route('**/subidas/**', filter)
      await fillFields(page, { nombre: name })
      await chooseDocuments(page)
      await button(page).click()
      await expect(good(page)).toBeVisible()
      const [row] = await site.sql<{ carpeta: string }>('select carpeta from registros where nombre = $1', [name])
      const stored = (await site.objects('registro')).filter((path) => path.startsWith(`${row!.carpeta}/`))
      expect(stored.filter((path) => !path.endsWith('.json'))).toHaveLength(6)
      await page.unrouteAll()
    })

  const name = 'Petunia Nada Prueba'
  await page.route('**/*', (route) => (route.request().method() === 'GET' ? route.continue() : refuse(route)))
  await fillFields(page, { nombre: name })
  await chooseDocuments(page)
  await button(page).click()
  await expect(page.locator('#resultado').getByText(FILTER_REFUSAL)).toBeVisible()
  await expect(page.getByLabel('Nombre', { exact: true })).toHaveValue(name)
  await expect(page.getByRole('button', { name: 'Quitar frente.jpg' })).toBeVisible()
  // On another connection one press is enough.
  await page.unrouteAll()
  await button(page).click()
  await expect(good(page)).toBeVisible()
  expect(await site.sql('select id from registros where nombre = $1', [name])).toHaveLength(1)
})
