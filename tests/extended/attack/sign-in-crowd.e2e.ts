import { PASSWORD, signedIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'

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
      await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Entrar', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Bienvenido' })).toBeVisible()
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
        await still.getByLabel('Contraseña', { exact: true }).fill('no es ninguna')
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
