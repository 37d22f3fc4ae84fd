import type { Page } from '@playwright/test'
import { test as base, expect, type Site, siteWith } from './site.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const CLIENT_ID = '1234567890-prueba.apps.googleusercontent.com'

/** Answers to the site in place of Google's servers, which tests do not reach. */
const STAND_IN = `
  const answer = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!url.startsWith('https://oauth2.googleapis.com/')) return answer(input, init)
    return Response.json({
      access_token: 'ficha', token_type: 'Bearer', expires_in: 3600, scope: 'openid email',
      id_token: ${JSON.stringify(
        `${part({ alg: 'none' })}.${part({
          aud: CLIENT_ID,
          iss: 'https://accounts.google.com',
          sub: 'g-1',
          email: 'lucia@gmail.com',
          email_verified: true,
          name: 'Lucía',
        })}.x`,
      )},
    })
  }`

const test = base.extend<object, { conGoogle: Site }>({
  conGoogle: siteWith({
    SITE_CLOCK: '2025-09-20T12:00-06:00',
    GOOGLE_CLIENT_ID: CLIENT_ID,
    GOOGLE_CLIENT_SECRET: 'secreto-de-prueba-secreto',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(STAND_IN)}`,
  }),
  baseURL: ({ conGoogle }, use) => use(conGoogle.url),
})

/**
 * Simulates Google's page, where the visitor agrees or cancels. The site's redirect becomes a page with a link, because
 * tests see no request that a redirect makes.
 */
async function google(page: Page, site: Site) {
  await page.route('**/cuentas/google?**', async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 })
    const body = `<meta http-equiv="refresh" content="0; url=${answer.headers().location!.replaceAll('&', '&amp;')}">`
    await route.fulfill({ contentType: 'text/html', body })
  })
  await page.route('https://accounts.google.com/**', async (route) => {
    const asked = new URL(route.request().url()).searchParams
    expect(asked.get('redirect_uri')).toBe(`${site.url}/cuentas/callback/google`)
    const back = (more: string) => `${asked.get('redirect_uri')}?state=${asked.get('state')}&${more}`
    await route.fulfill({
      contentType: 'text/html',
      body: `<a href="${back('code=c')}">Continuar</a> <a href="${back('error=access_denied')}">Cancelar</a>`,
    })
  })
}

test('with Google from the vote’s window to the vote: cancelled first, then agreed to, with the same candidate all along', async ({
  page,
  conGoogle: site,
}) => {
  await google(page, site)
  const dialog = page.getByRole('dialog').filter({ hasNotText: 'patrocinadores' })
  await page.goto('/misspopularidad?vote=4')
  await dialog.getByRole('link', { name: 'Entrar con Google' }).click()
  await page.getByRole('link', { name: 'Cancelar' }).click()
  await expect(dialog.getByRole('heading', { name: 'No pudiste entrar con Google' })).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/misspopularidad`)
  await dialog.getByRole('button', { name: 'Seguir con mi voto' }).click()

  await expect(dialog.getByRole('heading', { name: 'Paola Colorín Vega' })).toBeVisible()
  await dialog.getByRole('link', { name: 'Entrar con Google' }).click()
  await page.getByRole('link', { name: 'Continuar' }).click()
  // Back from another site, the vote takes one press, as after every other sign-in.
  await expect(dialog.getByRole('heading', { name: 'Paola Colorín Vega' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Confirmar mi voto' }).click()
  await expect(dialog.getByRole('heading', { name: '¡Gracias! Tu voto ha sido registrado.' })).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/misspopularidad`)
  expect(await site.sql('select candidata from banda_digital_votes')).toEqual([{ candidata: 'Paola Colorín Vega' }])
})

test('a return from Google without a beginning leads to the vote with a message, not to an error', async ({ page }) => {
  await page.goto('/cuentas/callback/google?code=c&state=inventado')
  await expect(page.getByRole('heading', { name: 'No pudiste entrar con Google' })).toBeVisible()
})

test('a HEAD request to its addresses leaves nothing behind', async ({ conGoogle: site }) => {
  const rows = async () =>
    (await site.sql('select (select count(*) from verifications) as v, (select count(*) from bitacora) as b'))[0]
  const before = await rows()
  for (const path of ['/cuentas/google?next=/misspopularidad', '/cuentas/callback/google?code=c&state=inventado'])
    expect((await fetch(site.url + path, { method: 'HEAD', redirect: 'manual' })).status, path).toBe(204)
  expect(await rows()).toEqual(before)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('a refusal is said, too', async ({ page }) => {
    await page.goto('/misspopularidad?error=access_denied')
    await expect(page.getByRole('heading', { name: 'No pudiste entrar con Google' })).toBeVisible()
  })
})

test('Google is not offered where its keys are not set', async ({ page, trialSite }) => {
  await trialSite.at('2025-09-20T12:00-06:00')
  await page.goto(`${trialSite.url}/misspopularidad?vote=4`)
  await expect(page.getByRole('button', { name: 'Enviarme el código' })).toBeVisible()
  await expect(page.getByText('Entrar con Google')).toHaveCount(0)
  expect((await page.request.get(`${trialSite.url}/cuentas/google`)).status()).toBe(404)
})
