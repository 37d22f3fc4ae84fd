import type { Page, Route } from '@playwright/test'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { expectAccessible } from './accessible.ts'
import { servicesOn } from './accounts.ts'
import { hydrated } from './registration-form.ts'
import { expect, type Site, test } from './site.ts'
import { softStep } from './soft-step.ts'

const PASSWORD = 'jacarandas-en-marzo-71'
const SIGN_IN_FAULT = 'Error al iniciar sesión. Verifica tus credenciales.'

/** Creates a press account for this test alone. */
const createPressAccount = (site: Site, email: string) =>
  servicesOn(site, ({ db }) => createAccount(db, { email, role: 'prensa', password: PASSWORD }, TERMINAL))

/** Waits for the answer to the next form that is sent. */
const answerTo = (page: Page) => page.waitForResponse((answer) => answer.request().method() === 'POST')

async function enter(page: Page, email: string, password: string) {
  await page.getByLabel('Correo Electrónico').fill(email)
  await page.getByLabel('Contraseña', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
}

test('the login wall', async ({ page }) => {
  await page.goto('/medios')
  await softStep('before signing in: PRENSA, two paragraphs and the form', async () => {
    await expect(page.getByRole('heading', { level: 1, name: 'PRENSA' })).toBeVisible()
    await expect(page.getByText(/acreditación/)).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Iniciar Sesión' })).toBeVisible()
    await expect(page.getByPlaceholder('Ingresa tu correo')).toHaveAttribute('type', 'email')
    await expect(page.getByPlaceholder('Ingresa tu contraseña')).toHaveAttribute('type', 'password')
  })

  // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
  await expectAccessible(page)
})

test.describe('a refused sign-in', () => {
  test.use({ expectedErrors: [/status of 401/] })
  test('says the same for every cause, and keeps the address', async ({ page, site }) => {
    await createPressAccount(site, 'rechazo@diario.example')
    await page.goto('/medios')
    await hydrated(page)
    for (const [email, password] of [
      ['nadie@diario.example', 'no-existe-nadie-asi'],
      ['rechazo@diario.example', 'otra-clave-cualquiera'],
    ] as const) {
      // The answer is waited for, because the message of the previous attempt still stands there.
      const answered = answerTo(page)
      await enter(page, email, password)
      expect((await answered).status()).toBe(401)
      await expect(page.getByRole('alert')).toHaveText(SIGN_IN_FAULT)
      await expect(page.getByLabel('Correo Electrónico')).toHaveValue(email)
      await expect(page.getByRole('heading', { name: 'Bienvenido' })).toHaveCount(0)
    }
  })
})

test.describe('a form that is sent as it is', () => {
  test.use({ expectedErrors: [[/status of (401|503)/, /ERR_FAILED/], { scope: 'test' }] })
  test('an empty form, half an address, a broken connection: the same words, and the typed text stays', async ({
    page,
  }) => {
    await page.goto('/medios')
    await hydrated(page)
    const sent = answerTo(page)
    await page.getByRole('button', { name: 'Entrar', exact: true }).click()
    expect((await sent).status()).toBe(401)
    await expect(page.getByRole('alert')).toHaveText(SIGN_IN_FAULT)
    const again = answerTo(page)
    await enter(page, 'noescorreo', 'algo')
    expect((await again).status()).toBe(401)
    await expect(page.getByRole('alert')).toHaveText(SIGN_IN_FAULT)
    for (const breakIt of [
      (route: Route) => route.abort(),
      (route: Route) => route.fulfill({ status: 503, body: 'upstream' }),
    ]) {
      await page.goto('/medios')
      await hydrated(page)
      await page.route('**/medios.data*', breakIt)
      await enter(page, 'corte@diario.example', PASSWORD)
      await expect(page.getByRole('alert')).toHaveText(SIGN_IN_FAULT)
      await expect(page.getByLabel('Correo Electrónico')).toHaveValue('corte@diario.example')
      await page.unroute('**/medios.data*')
    }
  })
})

test('accepted: thanks and two buttons; a reload shows the form again, and a line to go on', async ({ page, site }) => {
  await createPressAccount(site, 'entra@diario.example')
  await page.goto('/medios')
  await hydrated(page)
  await enter(page, 'entra@diario.example', PASSWORD)
  await expect(page.getByRole('heading', { name: 'Bienvenido', exact: true })).toBeVisible()
  await expect(page.getByText(/material audiovisual/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Iniciar Sesión' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Convocatoria Oficial', exact: true }).click()
  await expect(page).toHaveURL(/\/convocatoriaoficial$/)
  await page.goto('/medios')
  await expect(page.getByRole('heading', { name: 'Iniciar Sesión' })).toBeVisible()
  await expect(page.getByText('entra@diario.example')).toBeVisible()
  await hydrated(page)
  await page.getByRole('button', { name: 'Continuar' }).click()
  await page.getByRole('button', { name: 'Galeria de candidatas', exact: true }).click()
  await expect(page).toHaveURL(/\/galeria-candidatas$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Galería de candidatas' })).toBeVisible()
  await page.goto('/medios')
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page.getByText('entra@diario.example')).toHaveCount(0)
  await page.goto('/galeria-candidatas')
  await expect(page).toHaveURL(/\/medios\?aviso=acceso$/)
  await expect(page.getByText(/para los medios acreditados: entra con tu cuenta/)).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('signs in and goes on', async ({ page, site }) => {
    await createPressAccount(site, 'sin-js@diario.example')
    await page.goto('/medios')
    await enter(page, 'sin-js@diario.example', PASSWORD)
    await expect(page.getByRole('heading', { name: 'Bienvenido' })).toBeVisible()
    await page.getByRole('button', { name: 'Galeria de candidatas' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Galería de candidatas' })).toBeVisible()
    await page.goto('/medios')
    await page.getByRole('button', { name: 'Continuar' }).click()
    await expect(page.getByRole('heading', { name: 'Bienvenido' })).toBeVisible()
  })
})

test('a file’s address without a session leads to the login wall, which says why', async ({ page }) => {
  await page.goto('/descargas/senorita-azahares-2025-candidatas-grupo.png')
  await expect(page).toHaveURL(/\/medios\?aviso=acceso$/)
  await expect(page.getByText(/para los medios acreditados: entra con tu cuenta/)).toBeVisible()
})

test.describe('a session that ended while the gallery was open', () => {
  // Requests for pictures that come into view in the meantime.
  test.use({ expectedErrors: [/status of 403/] })
  test('its links lead to the login wall', async ({ page, site }) => {
    await createPressAccount(site, 'tarde@diario.example')
    await page.goto('/medios')
    await hydrated(page)
    await enter(page, 'tarde@diario.example', PASSWORD)
    await page.getByRole('button', { name: 'Convocatoria Oficial', exact: true }).click()
    await page.getByRole('link', { name: 'Galería de candidatas' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Galería de candidatas' })).toBeVisible()
    await site.sql(
      `delete from sessions where user_id in (select id from profiles where email = 'tarde@diario.example')`,
    )
    await page.getByRole('link', { name: 'Descargar', exact: true }).first().click()
    await expect(page).toHaveURL(/\/medios\?aviso=acceso$/)
  })
})

test('a reason named like a member of Object.prototype is ignored', async ({ request }) => {
  for (const notice of ['__proto__', 'constructor', 'toString'])
    expect((await request.get(`/medios?aviso=${notice}`)).status(), notice).toBe(200)
})
