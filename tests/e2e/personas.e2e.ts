import AxeBuilder from '@axe-core/playwright'
import { signIn } from './cuentas.ts'
import { expect, test } from './site.ts'

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
  await expect(page.getByText('Listo: radio@azahares.example recibirá un correo')).toBeVisible()
  const cuenta = page.getByRole('listitem').filter({ hasText: 'radio@azahares.example' })
  await expect(cuenta).toContainText('Radio <b>Azahares</b>')
  await expect(cuenta).toContainText('Falta que elija su contraseña')
  await expect(cuenta).toContainText('hasta el 05/10/2099')
  await expect(page.getByRole('textbox', { name: 'Medio', exact: true })).toHaveValue('')
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])

  await cuenta.getByRole('button', { name: 'Mandar otro enlace' }).click()
  await expect(page.getByText('mandamos otro enlace a radio@azahares.example')).toBeVisible()
  const sent = await site.sql(`select 1 from correos where recipient = 'radio@azahares.example'`)
  expect(sent).toHaveLength(2)

  await cuenta.getByText('Dar de baja', { exact: true }).click()
  await cuenta.getByRole('button', { name: 'Sí, dar de baja a Radio <b>Azahares</b>' }).click()
  await expect(cuenta).toContainText('De baja')

  await page.getByRole('link', { name: 'Bitácora' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Bitácora' })).toBeVisible()
  await page.getByLabel('Correo de la cuenta').fill('radio@azahares.example')
  await page.getByRole('button', { name: 'Filtrar' }).click()
  await expect(page.locator('tbody tr')).toHaveCount(3)
  await expect(page.locator('tbody tr').first()).toContainText('Dio de baja')
  await expect(page.locator('tbody tr').last()).toContainText('Acreditó a un medio')
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
})

test.describe('what is refused', () => {
  test.use({ expectedErrors: [/status of 422/] })
  test('says why, and keeps what was typed; nobody withdraws the own account', async ({ page, context, site }) => {
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
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width)
    }
  })
