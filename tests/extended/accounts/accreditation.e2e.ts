import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

const run = promisify(execFile)
const PASSWORD = 'jacarandas-en-marzo-71'

const accounts = (site: Site, ...args: string[]) =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/cuentas.ts', ...args], {
    env: { ...process.env, DATA_DIR: site.dataDir },
  })

test('accredited from the terminal, a journalist chooses the password by the mailed link, enters, and is out once withdrawn', async ({
  page,
  site,
}) => {
  const email = 'cultura@laprensa.example'
  await accounts(site, 'acreditar', '--correo', email, '--medio', 'La Prensa de Azahares', '--hasta', '2099-12-31')
  const [link] = /http:\/\/127\.0\.0\.1:\d+\/medios\/clave\?llave=[\w-]+/.exec(await site.mail(email))!
  expect(new URL(link).origin).toBe(site.url)

  await page.goto(link)
  await expect(page.getByRole('heading', { level: 1, name: 'Elige tu contraseña' })).toBeVisible()
  expect(page.url()).toBe(`${site.url}/medios/clave`)
  await expect(page.getByText(email)).toBeVisible()
  await expectAccessible(page)
  // A press before hydration would be repeated after it, and the link works only once.
  await hydrated(page)
  await page.getByLabel('Contraseña nueva').fill(PASSWORD)
  await page.getByLabel('Escríbela otra vez').fill(PASSWORD)
  await page.getByRole('button', { name: 'Guardar contraseña' }).click()
  await expect(page.getByText('Tu contraseña quedó guardada. Entra con ella.')).toBeVisible()

  await page.getByLabel('Correo Electrónico').fill(email)
  await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Bienvenido' })).toBeVisible()
  await page.goto('/galeria-candidatas')
  await expect(page.getByRole('heading', { level: 1, name: 'Galería de candidatas' })).toBeVisible()

  // Every screen has the sign-out, the screens prerendered, too.
  await page.goto('/nuestra-historia')
  await expect(page.getByText(`Sesión de ${email}`)).toBeVisible()

  await page.goto(link)
  await expect(page.getByRole('heading', { level: 1, name: 'Este enlace ya no sirve' })).toBeVisible()

  await accounts(site, 'baja', '--correo', email)
  await expect
    .poll(async () => (await page.request.get('/descargas/senorita-azahares-2025-boletin.docx')).status(), {
      timeout: 20_000,
    })
    .toBe(403)
  await page.goto('/galeria-candidatas')
  await expect(page).toHaveURL(/\/medios\?aviso=acceso$/)
})

test.describe('a password that is refused', () => {
  test.use({ expectedErrors: [/status of 400/] })
  test('gets a reason, and the link stays good; also without JavaScript', async ({ page, site, browser }) => {
    const email = 'fotos@laprensa.example'
    await accounts(site, 'acreditar', '--correo', email, '--medio', 'Fotos')
    const [link] = /http:\S+llave=[\w-]+/.exec(await site.mail(email))!
    const plain = await browser.newContext({ javaScriptEnabled: false })
    for (const one of [page, await plain.newPage()]) {
      await one.goto(link)
      // A hydration in the middle would send the form again, and its answer would empty the fields.
      if (one === page) await hydrated(page)
      for (const [newOne, repeated, told] of [
        ['corta', 'corta', 'al menos 12 caracteres'],
        ['contraseña2025', 'contraseña2025', 'se adivina'],
        [PASSWORD, `${PASSWORD}x`, 'no son iguales'],
      ] as const) {
        await one.getByLabel('Contraseña nueva').fill(newOne)
        await one.getByLabel('Escríbela otra vez').fill(repeated)
        await one.getByRole('button', { name: 'Guardar contraseña' }).click()
        await expect(one.getByRole('alert')).toContainText(told)
      }
    }
    await plain.close()
  })
})

test('«Cerrar sesión» at the foot of a public screen ends the session; strangers are not asked for one', async ({
  page,
  context,
  site,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/candidatas')
  await page.locator('html[data-hydrated]').waitFor()
  expect(asked).not.toContain('/sesion')

  await signIn(context, site, 'prensa')
  await page.goto('/medios')
  await expect(page.getByText(/^Sigues con la sesión de/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cerrar sesión' })).toHaveCount(1)
  await page.locator('html[data-hydrated]').waitFor()
  await page.goto('/candidatas')
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL(`${site.url}/`)
  await page.goto('/candidatas')
  await page.locator('html[data-hydrated]').waitFor()
  await expect(page.getByRole('button', { name: 'Cerrar sesión' })).toHaveCount(0)
  expect((await page.request.get('/galeria-candidatas', { maxRedirects: 0 })).status()).toBe(302)
})

test('an organiser is warned after 28 minutes, also after a reload, and leaves for the home after 30', async ({
  page,
  context,
  site,
}) => {
  await signIn(context, site, 'admin')
  await page.clock.install()
  await page.goto('/medios')
  await page.locator('html[data-hydrated]').waitFor()
  await page.goto('/maestros')
  await expect(page.getByText(/^Sesión de admin/)).toBeVisible()
  // Time counts from the sign-in, so a slow machine has already used some of it.
  await page.clock.fastForward('27:00')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.clock.fastForward('01:10')
  await expect(page.getByRole('alert')).toContainText('te quedan menos de dos')
  await page.clock.fastForward('02:00')
  await expect(page).toHaveURL(`${site.url}/`)
  // The server ends the session, too; this device's clock may be ahead of the server's.
  await page.goto('/organizadores')
  await expect(page.getByRole('button', { name: 'Iniciar sesión' })).toBeVisible()
})

test('on a phone the warning stands above the bar of the panel’s sections', async ({ page, context, site }) => {
  await signIn(context, site, 'admin')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.clock.install()
  const told = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/sesion')
  await page.goto('/organizadores/cuenta')
  await (await told).finished()
  await page.clock.fastForward('28:10')
  const warning = page.getByText('te quedan menos de dos')
  await expect(warning).toBeInViewport({ ratio: 1 })
  const bar = (await page.getByRole('navigation', { name: 'Panel' }).boundingBox())!
  const { y, height } = (await warning.boundingBox())!
  expect(y + height).toBeLessThan(bar.y)
})

test('an organiser whose session ended while the device slept finds the login wall, not the entries', async ({
  page,
  context,
  site,
}) => {
  await signIn(context, site, 'admin')
  const told = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/sesion')
  await page.goto('/organizadores')
  await expect(page.getByRole('searchbox')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cerrar sesión' })).toBeVisible()
  // The frame must know of the session before it ends.
  await (await told).finished()
  await site.sql('delete from sessions')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByRole('dialog', { name: 'Tu sesión terminó' })).toBeVisible()
  await expect(page.getByRole('searchbox')).toBeHidden()
  // Only the login wall leads back.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Tu sesión terminó' })).toBeVisible()
})
