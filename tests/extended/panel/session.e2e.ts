import type { Page } from '@playwright/test'
import { PASSWORD, signedIn } from '../../e2e/accounts.ts'
import { look } from '../../e2e/look-at-screen.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

/** Types an accreditation without sending it. @returns the organiser's address */
async function typeOn(page: Page, site: Site): Promise<string> {
  const { correo, name, value } = await signedIn(site, 'admin')
  await page.context().addCookies([{ name, value, url: site.url }])
  const told = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/sesion')
  await page.goto('/organizadores/personas')
  await (await told).finished()
  await outlet(page).fill('Radio Feria')
  await page.getByLabel('Correo del medio').fill('radio@feria.example')
  return correo
}

const outlet = (page: Page) => page.getByRole('textbox', { name: 'Medio', exact: true })

async function enter(page: Page, email: string): Promise<void> {
  await page.getByLabel('Correo Electrónico').fill(email)
  await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Iniciar sesión' }).click()
}

test.describe('a session of the panel that ends', () => {
  test.use({ expectedErrors: [/status of 401/] })

  test('keeps the typed text beneath the login wall, and goes on there', async ({ page, site }, info) => {
    const email = await typeOn(page, site)
    await site.sql('delete from sessions')
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    const door = page.getByRole('dialog', { name: 'Tu sesión terminó' })
    await expect(door).toBeVisible()
    await look(page, info, 'puerta-encima')
    await page.getByLabel('Correo Electrónico').fill(email)
    await page.getByLabel('Contraseña', { exact: true }).fill('no es esta clave')
    await page.getByRole('button', { name: 'Iniciar sesión' }).click()
    await expect(door).toContainText('Credenciales incorrectas')
    await enter(page, email)
    await expect(door).toHaveCount(0)
    await expect(outlet(page)).toHaveValue('Radio Feria')
    await page.getByRole('button', { name: 'Acreditar', exact: true }).click()
    await expect(page.getByText('Mándale tú a radio@feria.example el enlace')).toBeVisible()
  })

  test('is reported when a form is sent, which goes out after the sign-in', async ({ page, site }, info) => {
    const email = await typeOn(page, site)
    // The session ends without this page's knowledge.
    await site.sql('delete from sessions')
    await page.getByRole('button', { name: 'Acreditar', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Tu sesión terminó' })).toBeVisible()
    await look(page, info, 'puerta-al-mandar')
    await enter(page, email)
    await expect(page.getByText('Mándale tú a radio@feria.example el enlace')).toBeVisible()
  })
})

test('the results stand in the panel, and the panel outlasts them', async ({ page, context, site }, info) => {
  const { name, value } = await signedIn(site, 'conteo')
  await context.addCookies([{ name, value, url: site.url }])
  // The role for the count begins at the results.
  await page.goto('/organizadores')
  await expect(page).toHaveURL(/misspopularidad-resultados$/)
  const panel = page.getByRole('navigation', { name: 'Panel' })
  await expect(panel.getByRole('link')).toHaveText(['Votación', 'Mi cuenta'])
  await expect(panel.getByRole('link', { name: 'Votación' })).toHaveAttribute('aria-current', 'page')
  await look(page, info, 'resultados-en-el-panel')
  // Half an hour after the sign-in, but used since.
  await site.sql(
    `update sessions set vence_at = vence_at - interval '31 minutes', usada_at = vence_at - interval '8 hours'`,
  )
  await page.goto('/organizadores/cuenta')
  await expect(page.getByRole('heading', { name: 'Mi cuenta' })).toBeVisible()
  const asked = page.waitForResponse((answer) => answer.url().endsWith('/sesion'))
  await page.goto('/misspopularidad-resultados')
  await (await asked).finished()
  // A session line that took the results' end for the session's would sign out now, and lead home.
  await page.waitForTimeout(1_500)
  await expect(page.getByText('Los resultados se cierran a los 30 minutos')).toBeVisible()
  await expect(page.getByText('votos', { exact: false })).toHaveCount(0)
})
