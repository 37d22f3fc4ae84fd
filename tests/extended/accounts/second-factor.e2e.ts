import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from '@playwright/test'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { PASSWORD, servicesOn } from '../../e2e/accounts.ts'
import { look } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { codeOf, secretOf, wrongCode } from '../../support/accounts/second-factor.ts'
import { freePort } from '../../support/site/running-site.ts'

test.use({ actionTimeout: 20_000, expectedErrors: [[/status of (400|401|403|422|429)/], { scope: 'test' }] })

let people = 0
async function organiser(site: Site): Promise<string> {
  const email = `paso${++people}.${process.pid}@comite.example`
  const made = await servicesOn(site, ({ db }) =>
    createAccount(db, { email, role: 'admin', password: PASSWORD }, TERMINAL),
  )
  expect(made).toMatchObject({ ok: true })
  return email
}
async function password(page: Page, email: string) {
  await page.goto('/organizadores')
  await page.getByLabel('Correo Electrónico').fill(email)
  await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Iniciar sesión' }).click()
  await expect(page.getByRole('button', { name: 'Iniciar sesión' })).toHaveCount(0)
}
/** The code of the previous half minute, which is good during the current one, if enough of it is left. */
async function earlierCode(secret: string): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000)
  if (left < 15_000) await sleep(left + 100)
  return codeOf(secret, -1)
}
/** Adds an authenticator app in «Mi cuenta». @returns the app's secret */
async function putCodes(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Poner aplicación de códigos' }).click()
  const secret = secretOf(await page.locator('code').first().innerText())
  await page.getByLabel('Código de tu aplicación').fill(await earlierCode(secret))
  await page.getByRole('button', { name: 'Activar' }).click()
  await expect(page.getByRole('heading', { name: 'Guarda tus códigos de respaldo' })).toBeVisible()
  return secret
}
const nav = (page: Page) => page.getByRole('navigation', { name: 'Panel' })
const cookiesOf = async (context: BrowserContext) =>
  (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')

test('the panel advises a second step, which is added, asked for at the sign-in, passed and removed', async ({
  page,
  context,
  site,
}, info) => {
  const email = await organiser(site)
  await password(page, email)
  const advice = page.getByRole('complementary', { name: 'Protege tu cuenta con un segundo paso' })
  // The status line has the advice behind the notice that the site has no mail server.
  const more = page.getByText('1 aviso más')
  await expect(advice).toBeHidden()
  await more.click()
  await expect(advice).toBeVisible()
  await look(page, info, 'consejo')
  await advice.getByRole('button', { name: 'Hoy no' }).click()
  await expect(advice).toHaveCount(0)
  await page.reload()
  await expect(nav(page)).toBeVisible()
  await expect(advice).toHaveCount(0)
  await expect(more).toHaveCount(0)
  await context.clearCookies()
  await password(page, email)
  await more.click()
  await advice.getByRole('link', { name: 'Ponerlo ahora' }).click()
  await page.getByRole('button', { name: 'Poner aplicación de códigos' }).click()
  await expect(page.getByRole('img', { name: /Cuadro para escanear/ })).toBeVisible()
  await look(page, info, 'alta')
  const secret = secretOf(await page.locator('code').first().innerText())
  const field = page.getByLabel('Código de tu aplicación')
  await field.fill(wrongCode(await codeOf(secret)))
  await page.getByRole('button', { name: 'Activar' }).click()
  await expect(page.getByText(/Ese código no es. Revisa que la hora/)).toBeVisible()
  // The QR code is still the same.
  expect(secretOf(await page.locator('code').first().innerText())).toBe(secret)
  await field.fill(await earlierCode(secret))
  await page.getByRole('button', { name: 'Activar' }).click()
  const kept = page.getByRole('region', { name: 'Guarda tus códigos de respaldo' })
  await expect(kept.getByRole('listitem')).toHaveCount(10)
  const recoveryCodes = await kept.getByRole('listitem').allInnerTexts()
  await look(page, info, 'respaldos')
  const download = page.waitForEvent('download')
  await kept.getByRole('link', { name: 'Descargar' }).click()
  expect((await download).suggestedFilename()).toBe('codigos-de-respaldo.txt')
  expect(page.url()).not.toContain(recoveryCodes[0]!)
  await kept.getByRole('link', { name: 'Ya los guardé' }).click()
  await expect(kept).toHaveCount(0)
  await expect(page.getByText(/Te quedan 10\./)).toBeVisible()

  await context.clearCookies()
  await password(page, email)
  await expect(page.getByRole('heading', { name: 'Segundo paso' })).toBeFocused()
  await look(page, info, 'segundo-paso')
  // The cookie of the pending second step alone opens no screen, no file and no original.
  const cookie = await cookiesOf(context)
  expect(cookie).toContain('antesala')
  for (const path of ['/organizadores/personas.data', '/organizadores/exportar?formato=csv', '/archivos/registro/x']) {
    const answer = await fetch(site.url + path, { headers: { cookie }, redirect: 'manual' })
    expect(await answer.text(), path).not.toContain(email)
    if (!path.endsWith('.data')) expect(answer.status, path).toBe(403)
  }
  await expect(page.getByLabel('Código de tu aplicación')).toHaveAttribute('autocomplete', 'one-time-code')
  await page.getByLabel('Código de tu aplicación').fill(wrongCode(await codeOf(secret)))
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page.getByText(/Ese código no es, o ya se usó/)).toBeVisible()
  await page.getByLabel('Código de tu aplicación').fill(await codeOf(secret))
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(nav(page)).toBeVisible()
  await expect(advice).toHaveCount(0)
  await nav(page).getByRole('link', { name: 'Mi cuenta' }).click()
  await look(page, info, 'puesto')
  await page.getByText('Quitar la aplicación', { exact: true }).click()
  await page.getByRole('button', { name: 'Sí, quitar la aplicación' }).click()
  await expect(page.getByText('Quitaste la aplicación de códigos.')).toBeVisible()
  const told = () => site.mails(email)
  await expect.poll(async () => (await told()).join(' ')).toContain('Quit=C3=B3 el segundo paso')
})

test('without JavaScript the second step is a form, recovery codes are taken, and another account can enter', async ({
  page,
  browser,
  site,
}) => {
  const email = await organiser(site)
  await password(page, email)
  await page.goto('/organizadores/cuenta')
  await putCodes(page)
  const [backupCode] = await page
    .getByRole('region', { name: /Guarda tus/ })
    .getByRole('listitem')
    .allInnerTexts()
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: site.url })
  const plain = await context.newPage()
  await password(plain, email)
  await expect(plain.getByRole('heading', { name: 'Segundo paso' })).toBeVisible()
  await plain.getByRole('button', { name: 'Entrar con otra cuenta' }).click()
  await expect(plain.getByLabel('Correo Electrónico')).toBeVisible()
  await password(plain, email)
  await plain.getByText('Usar un código de respaldo').click()
  await plain.getByLabel('Código de respaldo').fill('AAAAA-BBBBB')
  await plain.getByRole('button', { name: 'Entrar con este código' }).click()
  await expect(plain.getByText(/Ese código de respaldo no es, o ya se usó/)).toBeVisible()
  await plain.getByText('Usar un código de respaldo').click()
  await plain.getByLabel('Código de respaldo').fill(backupCode!.toLowerCase())
  await plain.getByRole('button', { name: 'Entrar con este código' }).click()
  await expect(nav(plain)).toBeVisible()
  await context.close()
})

test('where the site requires it, an organiser without a second step sees only her own account', async ({
  browser,
}, info) => {
  const strict = await Site.start({ SECOND_FACTOR: 'required' })
  const context = await browser.newContext({ baseURL: strict.url })
  try {
    const page = await context.newPage()
    const email = await organiser(strict)
    await password(page, email)
    await expect(page).toHaveURL(/\/organizadores\/cuenta$/)
    await expect(nav(page).getByRole('link')).toHaveText(['Mi cuenta'])
    await look(page, info, 'exigido')
    const headers = { cookie: await cookiesOf(context) }
    for (const path of ['/organizadores/personas', '/organizadores/bitacora', '/organizadores/impresion']) {
      const answer = await fetch(strict.url + path, { headers, redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')], path).toEqual([302, '/organizadores/cuenta'])
    }
    const results = await (await fetch(`${strict.url}/misspopularidad-resultados`, { headers })).text()
    expect(results).toContain('Falta tu segundo paso')
    for (const path of ['/organizadores/exportar?formato=csv', '/archivos/registro/x', '/organizadores/documentos/1'])
      expect((await fetch(strict.url + path, { headers })).status, path).toBe(403)
    const body = new URLSearchParams({ hacer: 'acreditar', correo: 'x@medio.example', medio: 'Intrusa' })
    const post = await fetch(`${strict.url}/organizadores/personas`, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
    })
    expect([post.status, post.headers.get('location')]).toEqual([302, '/organizadores'])
    await putCodes(page)
    await page.goto('/organizadores/personas')
    await expect(page.getByRole('heading', { name: 'Personas' })).toBeVisible()
  } finally {
    await context.close()
    await strict.stop()
  }
})

test('a passkey is made, signs in, passes the second step, confirms, and serves one account and site only', async ({
  browser,
}, info) => {
  // A passkey belongs to a domain name, so the site runs on localhost.
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  const site = Site.of({ ...(await Site.start({ PUBLIC_URL: url, PORT: port })), url })
  const context = await browser.newContext({ baseURL: url })
  try {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const [email, other] = [await organiser(site), await organiser(site)]
    await password(page, email)
    await page.goto('/organizadores/cuenta')
    await site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)
    await page.getByRole('button', { name: 'Agregar llave de acceso' }).click()
    const question = page.getByRole('region', { name: 'Confirma que eres tú' })
    await question.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
    await question.getByRole('button', { name: 'Confirmar y continuar' }).click()
    await expect(page.getByText(/Ahora pulsa «Agregar llave de acceso»/)).toBeVisible()
    await page.getByRole('button', { name: 'Agregar llave de acceso' }).click()
    await expect(page.getByRole('region', { name: 'Guarda tus códigos de respaldo' })).toBeVisible()
    await page.getByRole('link', { name: 'Ya los guardé' }).click()
    await expect(page.getByText(/sin usar todavía/)).toBeVisible()
    await look(page, info, 'llaves')

    // Sign-in at the login wall without an address; the device's answer works once, in this browser, for this purpose.
    await context.clearCookies()
    await page.goto('/organizadores')
    const sent = page.waitForRequest((one) => one.method() === 'POST' && one.url().includes('/organizadores'))
    await page.getByRole('button', { name: 'Entrar con llave de acceso' }).click()
    await expect(nav(page)).toBeVisible()
    const key = new URLSearchParams((await sent).postData()!).get('llave')!
    const nonce = (await context.cookies()).find(({ name }) => name.includes('navegador'))!
    const post = (fields: Record<string, string>, cookie: string) =>
      fetch(`${url}/organizadores`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: url },
        body: new URLSearchParams(fields),
      })
    expect((await post({ hacer: 'llave', llave: key }, `${nonce.name}=${nonce.value}`)).status).toBe(401)
    expect(await site.sql(`select 1 from bitacora where que = 'acceso.llave'`)).toHaveLength(1)
    // A fresh answer: first without its browser's cookie, then with the cookie for another purpose.
    const fresh = await page.evaluate(async () => {
      const options = await (await fetch('/cuentas/llave?para=entrar')).json()
      const challenge = Uint8Array.from(atob(options.challenge.replace(/-/g, '+').replace(/_/g, '/')), (one) =>
        one.charCodeAt(0),
      )
      const made = (await navigator.credentials.get({
        publicKey: { challenge, rpId: options.rpId, userVerification: 'required' },
      })) as PublicKeyCredential
      return JSON.stringify(made.toJSON())
    })
    expect((await post({ hacer: 'llave', llave: fresh }, '')).status).toBe(401)
    const session = (await context.cookies()).find(({ name }) => name.includes('session_token'))!
    await site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)
    const both = `${nonce.name}=${nonce.value}; ${session.name}=${session.value}`
    const misused = await fetch(`${url}/organizadores/personas`, {
      method: 'POST',
      headers: { cookie: both, origin: url },
      body: new URLSearchParams({ hacer: 'retirar', correo: other, 'confirmo-llave': fresh }),
    })
    expect(misused.status).toBe(401)
    expect((await post({ hacer: 'llave', llave: fresh }, `${nonce.name}=${nonce.value}`)).status).toBe(302)

    // The passkey replaces the password.
    await page.goto('/organizadores/cuenta')
    await site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)
    await page.getByLabel('Correo nuevo').fill('otra@azahares.example')
    await page.getByRole('button', { name: 'Mandarle un código' }).click()
    await expect(question).toBeVisible()
    await look(page, info, 'confirmar-con-llave')
    await question.getByRole('button', { name: 'Usar mi llave de acceso' }).click()
    await expect(page.getByText(/Este sitio todavía no manda correos, y esto va por correo/)).toBeVisible()

    // After the password, only a passkey of the same account works.
    await context.clearCookies()
    await password(page, email)
    await look(page, info, 'segundo-con-llave')
    await page.getByRole('button', { name: 'Usar mi llave de acceso' }).click()
    await expect(nav(page)).toBeVisible()
    const [row] = await site.sql<{ id: string }>('select id from profiles where email = $1', [other])
    await site.sql('update llaves_de_acceso set user_id = $1', [row!.id])
    await context.clearCookies()
    await password(page, email)
    // The passkey belongs to another person now: the password is enough, and the passkey confirms nothing.
    await expect(nav(page)).toBeVisible()
    await site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)
    await page.goto('/organizadores/cuenta')
    await page.getByLabel('Correo nuevo').fill('otra@azahares.example')
    await page.getByRole('button', { name: 'Mandarle un código' }).click()
    await expect(question.getByLabel('Contraseña', { exact: true })).toBeVisible()
    await expect(question.getByRole('button', { name: 'Usar mi llave de acceso' })).toHaveCount(0)
    await site.sql('update llaves_de_acceso set user_id = (select id from profiles where email = $1)', [email])

    await context.clearCookies()
    await page.goto('/organizadores')
    await page.getByRole('button', { name: 'Entrar con llave de acceso' }).click()
    await nav(page).getByRole('link', { name: 'Mi cuenta' }).click()
    await page.getByText('Quitar', { exact: true }).click()
    await page.getByRole('button', { name: /Sí, quitar la llave de/ }).click()
    await expect(page.getByText('Quitaste esa llave de acceso.')).toBeVisible()
    expect(await site.sql('select 1 from respaldos')).toEqual([])
  } finally {
    await context.close()
    await site.stop()
  }
})
