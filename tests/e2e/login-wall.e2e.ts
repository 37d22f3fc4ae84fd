import type { Page, Route } from '@playwright/test'
import { PASSWORD, signedIn, signIn } from './accounts.ts'
import { expect, Site, test } from './site.ts'

const SIGN_IN_FAULT = 'Credenciales incorrectas o usuario no existe.'
const LOGIN_WALLS = [
  { path: '/organizadores', detras: 'Inscripciones' },
  { path: '/misspopularidad-resultados', detras: 'Resultados' },
]

async function enter(page: Page, email: string, password: string) {
  await page.getByLabel('Correo Electrónico').fill(email)
  await page.getByLabel('Contraseña').fill(password)
  await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click()
}

for (const { path, detras } of LOGIN_WALLS)
  test.describe(`the login wall of ${path}`, () => {
    test.use({ expectedErrors: [[/status of (401|503)/, /ERR_FAILED/], { scope: 'test' }] })

    test('says the same of a wrong password and of a broken connection, and keeps the typed text', async ({
      page,
      site,
    }) => {
      const { correo } = await signedIn(site, 'admin')
      await page.goto(path)
      await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
      await enter(page, correo, 'no es la suya')
      await expect(page.getByRole('alert')).toHaveText(SIGN_IN_FAULT)
      for (const breakIt of [
        (route: Route) => route.abort(),
        (route: Route) => route.fulfill({ status: 503, body: 'upstream' }),
      ]) {
        await page.goto(path)
        await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
        await page.route(`**${path}.data*`, breakIt)
        await enter(page, correo, PASSWORD)
        await expect(page.getByRole('alert')).toHaveText(SIGN_IN_FAULT)
        await expect(page.getByLabel('Correo Electrónico')).toHaveValue(correo)
        await expect(page.getByLabel('Contraseña')).toHaveValue(PASSWORD)
        await page.unroute(`**${path}.data*`)
      }
      // Once the connection is back, one press is enough.
      await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: detras })).toBeVisible()
    })
  })

test.describe('while more people sign in than can be checked', () => {
  test.use({ expectedErrors: [[/status of (401|429)/], { scope: 'test' }] })

  /** Keeps sign-ins of strangers under way. @returns stops them */
  function crowd(url: string) {
    let running = true
    let who = 0
    const all = Promise.all(
      Array.from({ length: 40 }, async () => {
        while (running) {
          const body = new URLSearchParams({
            hacer: 'entrar',
            correo: `inventada${++who}@medio.example`,
            clave: 'no es',
          })
          const headers = { 'x-forwarded-for': `10.8.${(who >> 8) & 255}.${who & 255}` }
          const answer = await fetch(`${url}/medios`, { method: 'POST', headers, body })
          await answer.arrayBuffer()
        }
      }),
    )
    return async () => {
      running = false
      await all
    }
  }

  test('a stranger’s browser solves a challenge and comes back by itself; without JavaScript the page says so', async ({
    browser,
  }) => {
    test.setTimeout(240_000)
    const site = await Site.start({ TRUSTED_PROXIES: '1' })
    const { correo } = await signedIn(site, 'prensa')
    const stop = crowd(site.url)
    try {
      const asked = await fetch(`${site.url}/medios`, {
        method: 'POST',
        headers: { 'x-forwarded-for': '10.7.0.1' },
        body: new URLSearchParams({ hacer: 'entrar', correo, clave: PASSWORD }),
      })
      // Refused for load, or let in because a place was free just then.
      expect([200, 429]).toContain(asked.status)
      const page = await browser.newPage({ baseURL: site.url, extraHTTPHeaders: { 'x-forwarded-for': '10.7.0.2' } })
      await page.goto('/medios')
      await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
      await page.getByLabel('Correo Electrónico').fill(correo)
      await page.getByLabel('Contraseña').fill(PASSWORD)
      await page.getByRole('button', { name: 'Entrar', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Bienvenido' })).toBeVisible({ timeout: 60_000 })
      await page.close()

      const still = await browser.newPage({
        javaScriptEnabled: false,
        baseURL: site.url,
        extraHTTPHeaders: { 'x-forwarded-for': '10.7.0.3' },
      })
      const load = still.getByText(/Está entrando mucha gente a la vez, y no alcanzamos a revisar tu contraseña/)
      await expect(async () => {
        await still.goto('/medios')
        await still.getByLabel('Correo Electrónico').fill('alguien@medio.example')
        await still.getByLabel('Contraseña').fill('no es ninguna')
        await still.getByRole('button', { name: 'Entrar', exact: true }).click()
        // The answer may take long; its message comes with it.
        await expect(still.getByRole('alert')).toBeVisible()
        await expect(load).toBeVisible({ timeout: 2_000 })
      }).toPass({ timeout: 60_000 })
      await expect(still.getByRole('alert')).toHaveText('Error al iniciar sesión. Verifica tus credenciales.')
      await expect(still.getByLabel('Correo Electrónico')).toHaveValue('alguien@medio.example')
      await still.close()
    } finally {
      await stop()
      await site.stop()
    }
  })
})

test('the panel reports, as long as it lasts, that codes are asked for and not used', async ({
  page,
  context,
  site,
}) => {
  await signIn(context, site, 'admin')
  await page.goto('/organizadores')
  const line = page.getByText('Se piden códigos que nadie usa.')
  await expect(page.getByRole('heading', { level: 1, name: 'Inscripciones' })).toBeVisible()
  await expect(line).toHaveCount(0)
  // Codes of other tests would be counted with these.
  await site.sql('delete from codigos_por_minuto')
  await site.sql(`insert into codigos_por_minuto (minuto, enviados, usados)
    values (date_trunc('minute', now()) - interval '6 minutes', 1412, 9)
    on conflict (minuto) do update set enviados = 1412, usados = 9`)
  try {
    await page.goto('/organizadores')
    await expect(line).toBeVisible()
    // The status line opens to the whole notice.
    await line.click()
    await expect(page.getByText(/salieron 1,412 códigos para votar y se usaron 9/)).toBeVisible()
  } finally {
    await site.sql('delete from codigos_por_minuto')
  }
})
