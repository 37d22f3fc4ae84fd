import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'

test('an organiser accredits a journalist, sends another link, withdraws, and the log says so', async ({
  page,
  context,
  site,
}) => {
  await signIn(context, site, 'admin')
  await page.goto('/organizadores/personas')
  await page.getByRole('textbox', { name: 'Medio', exact: true }).fill('Radio <b>Azahares</b>')
  await page.getByLabel('Correo del medio').fill('radio@azahares.example')
  await page.getByLabel('Último día (opcional)').fill('2099-10-05')
  await page.getByRole('button', { name: 'Acreditar', exact: true }).click()
  // Without a mail server the organiser sends the link.
  await expect(page.getByText('Mándale tú a radio@azahares.example el enlace de aquí abajo.')).toBeVisible()
  const link = page.getByRole('region', { name: 'Enlace para radio@azahares.example' })
  await expect(link.getByText(/\/medios\/clave\?llave=/)).toBeVisible()
  await expect(link.getByRole('link', { name: 'Mandarlo por WhatsApp' })).toHaveAttribute(
    'href',
    /^https:\/\/wa\.me\/\?text=.*llave%3D/,
  )
  await expect(link.getByRole('button', { name: 'Copiar el enlace' })).toBeVisible()
  const account = page.getByRole('listitem').filter({ hasText: 'radio@azahares.example' })
  await expect(account).toContainText('Radio <b>Azahares</b>')
  await expect(account).toContainText('Falta que elija su contraseña')
  await expect(account).toContainText('hasta el 05/10/2099')
  await expect(page.getByRole('textbox', { name: 'Medio', exact: true })).toHaveValue('')
  await expectAccessible(page)

  await account.getByRole('button', { name: 'Mandar otro enlace' }).click()
  await expect(page.getByText('Listo: hay otro enlace, y el anterior ya no sirve')).toBeVisible()
  const sent = await site.sql(`select 1 from correos where recipient = 'radio@azahares.example'`)
  expect(sent).toHaveLength(2)

  await account.getByText('Dar de baja', { exact: true }).click()
  await account.getByRole('button', { name: 'Sí, dar de baja a Radio <b>Azahares</b>' }).click()
  await expect(account).toContainText('De baja')

  await page.getByRole('link', { name: 'Bitácora' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Bitácora' })).toBeVisible()
  await page.getByLabel('Correo de la cuenta').fill('radio@azahares.example')
  await page.getByRole('button', { name: 'Filtrar' }).click()
  await expect(page.locator('tbody tr')).toHaveCount(3)
  await expect(page.locator('tbody tr').first()).toContainText('Dio de baja')
  await expect(page.locator('tbody tr').last()).toContainText('Acreditó a un medio')
  await expectAccessible(page)
})

test.describe('a refusal', () => {
  test.use({ expectedErrors: [/status of 422/] })
  test('says why, and keeps the typed text; the own account has no withdrawal', async ({ page, context, site }) => {
    await signIn(context, site, 'admin')
    await page.goto('/organizadores/personas')
    await page.getByRole('textbox', { name: 'Medio', exact: true }).fill('El Eco')
    await page.getByLabel('Correo del medio').fill('no@es@correo')
    await page.locator('form', { hasText: 'Acreditar a un medio' }).evaluate((form: HTMLFormElement) => {
      form.noValidate = true
    })
    await page.getByRole('button', { name: 'Acreditar', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('no es una dirección válida')
    await expect(page.getByRole('textbox', { name: 'Medio', exact: true })).toHaveValue('El Eco')
    const own = page.getByRole('listitem').filter({ hasText: 'Eres tú' })
    await expect(own).toHaveCount(1)
    await expect(own.getByText('Dar de baja')).toHaveCount(0)
  })
})

for (const width of [360, 1440])
  test(`people and log fit ${width} px`, async ({ page, context, site }) => {
    await page.setViewportSize({ width, height: 900 })
    await signIn(context, site, 'admin')
    for (const path of ['/organizadores/personas', '/organizadores/bitacora']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectNoSidewaysScroll(page, path)
    }
  })

test.describe('an organiser with a part', () => {
  test.use({ expectedErrors: [/status of (400|403|422)/] })
  test('is invited, gets advice on a password, enters the panel at her part, and gets another part', async ({
    page,
    context,
    site,
    browser,
  }) => {
    await signIn(context, site, 'admin')
    await page.goto('/organizadores/personas')
    // The page shows the same table of roles that the site enforces.
    await page.getByText('Qué puede hacer cada encargo').click()
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await expect(row('Ver fotos de cuerpo completo en traje de baño').getByRole('listitem')).toHaveText(['Todo'])
    await expect(row('Revisar inscripciones y sus documentos').getByRole('listitem')).toHaveText([
      'Todo',
      'Inscripciones, sin fotos en traje de baño',
    ])
    await expectAccessible(page)
    const email = 'lupita@comite.example'
    const invite = page.getByRole('form', { name: 'Invitar a la organización' })
    await invite.getByLabel('Correo de la persona').fill(email)
    // No role is chosen beforehand, and the server asks for one too.
    await invite.evaluate((form: HTMLFormElement) => {
      form.noValidate = true
    })
    await invite.getByRole('button', { name: 'Invitar', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('Elige qué puede hacer esa persona.')
    await expect(invite.getByLabel('Correo de la persona')).toHaveValue(email)
    await invite.getByLabel('Qué puede hacer').selectOption('Sólo el sitio')
    await invite.getByRole('button', { name: 'Invitar', exact: true }).click()
    await expect(page.getByText(`Mándale tú a ${email} el enlace`)).toBeVisible()

    const [link] = /http:\/\/127\.0\.0\.1:\d+\/medios\/clave\?llave=[\w-]+/.exec(await site.mail(email))!
    const lupita = await browser.newContext({ baseURL: site.url })
    const her = await lupita.newPage()
    await her.goto(link)
    const choose = async (password: string) => {
      await her.getByLabel('Contraseña nueva').fill(password)
      await her.getByLabel('Escríbela otra vez').fill(password)
      await her.getByRole('button', { name: 'Guardar contraseña' }).click()
    }
    await choose('Lupita1985feria')
    await expect(her.getByRole('alert')).toContainText('Junta tres o cuatro palabras')
    await choose('sandia violin martes costal')
    // She lands before the panel's login wall, with the message that the password is saved.
    await expect(her).toHaveURL(/\/organizadores\?aviso=clave$/)
    await expect(her.getByText('Listo: tu contraseña quedó guardada.')).toBeVisible()
    // Before hydration, signing in would load a document.
    await hydrated(her)
    const documents: string[] = []
    her.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === her.mainFrame()) documents.push(request.url())
    })
    await her.getByLabel('Correo Electrónico').fill(email)
    await her.getByLabel('Contraseña', { exact: true }).fill('sandia violin martes costal')
    await her.getByRole('button', { name: 'Iniciar sesión' }).click()
    await expect(her).toHaveURL(/\/organizadores\/sitio$/)
    await expect(her.getByRole('heading', { level: 1, name: 'El sitio' })).toBeVisible()
    await her.waitForTimeout(500)
    // The panel's policy came with the login wall, so no document is loaded again.
    expect(documents.filter((url) => url.endsWith('/organizadores/sitio'))).toEqual([])
    await her.goto('/organizadores/personas')
    await expect(her.getByText('Tu cuenta no abre esta parte del panel.')).toBeVisible()
    await expect(her.getByRole('navigation', { name: 'Panel' })).toBeVisible()

    const account = page.getByRole('listitem').filter({ hasText: email })
    await account.getByLabel('Qué puede hacer').selectOption('Sólo el conteo')
    await account.getByRole('button', { name: 'Cambiar encargo' }).click()
    await expect(page.getByText('tiene ahora este encargo: Sólo el conteo')).toBeVisible()
    // Her session has ended with her previous part.
    await her.goto('/organizadores/sitio')
    await expect(her.getByRole('button', { name: 'Iniciar sesión' })).toBeVisible()
    await lupita.close()
  })
})
