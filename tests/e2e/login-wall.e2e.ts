import type { Page, Route } from '@playwright/test'
import { PASSWORD, signedIn, signIn } from './accounts.ts'
import { expect, test } from './site.ts'

const SIGN_IN_FAULT = 'Credenciales incorrectas o usuario no existe.'
const LOGIN_WALLS = [
  { path: '/organizadores', detras: 'Inscripciones' },
  { path: '/misspopularidad-resultados', detras: 'Resultados' },
]

async function enter(page: Page, email: string, password: string) {
  await page.getByLabel('Correo Electrónico').fill(email)
  await page.getByLabel('Contraseña', { exact: true }).fill(password)
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
        await expect(page.getByLabel('Contraseña', { exact: true })).toHaveValue(PASSWORD)
        await page.unroute(`**${path}.data*`)
      }
      // Once the connection is back, one press is enough.
      await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: detras })).toBeVisible()
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
