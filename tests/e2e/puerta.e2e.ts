import type { Page, Route } from '@playwright/test'
import { CLAVE, signedIn } from './cuentas.ts'
import { expect, test } from './site.ts'

const FALLA = 'Credenciales incorrectas o usuario no existe.'
const PUERTAS = [
  { path: '/organizadores', detras: 'Inscripciones' },
  { path: '/misspopularidad-resultados', detras: 'Resultados' },
]

async function enter(page: Page, correo: string, clave: string) {
  await page.getByLabel('Correo Electrónico').fill(correo)
  await page.getByLabel('Contraseña').fill(clave)
  await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click()
}

for (const { path, detras } of PUERTAS)
  test.describe(`the door of ${path}`, () => {
    test.use({ expectedErrors: [[/status of (401|503)/, /ERR_FAILED/], { scope: 'test' }] })

    test('says the same of a wrong password and of a line that breaks, and keeps what was typed', async ({
      page,
      site,
    }) => {
      const { correo } = await signedIn(site, 'admin')
      await page.goto(path)
      await page.locator('html[data-despierta]').waitFor({ state: 'attached' })
      await enter(page, correo, 'no es la suya')
      await expect(page.getByRole('alert')).toHaveText(FALLA)
      for (const breakIt of [
        (route: Route) => route.abort(),
        (route: Route) => route.fulfill({ status: 503, body: 'upstream' }),
      ]) {
        await page.goto(path)
        await page.locator('html[data-despierta]').waitFor({ state: 'attached' })
        await page.route(`**${path}.data*`, breakIt)
        await enter(page, correo, CLAVE)
        await expect(page.getByRole('alert')).toHaveText(FALLA)
        await expect(page.getByLabel('Correo Electrónico')).toHaveValue(correo)
        await expect(page.getByLabel('Contraseña')).toHaveValue(CLAVE)
        await page.unroute(`**${path}.data*`)
      }
      // The line is back: one press more is enough.
      await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name: detras })).toBeVisible()
    })
  })
