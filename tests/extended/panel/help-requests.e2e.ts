import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

test('a deletion asked for on the site becomes a line in the panel, and leads to the entry', async ({ page, site }) => {
  await sow(site, [{ titular: 'Lidia Sauce', celular: '33 5555 0101' }])
  await page.goto('/folio')
  await page.getByRole('link', { name: '¿Lo perdiste?' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Tus datos' })).toBeVisible()
  const told: (string | null)[] = []
  for (const name of ['Lidia Sauce', 'Una Desconocida']) {
    await page.getByLabel('Nombre completo').fill(name)
    await page.getByLabel('Celular').fill('3355550101')
    await page.getByRole('button', { name: 'Pedir que se borre mi registro' }).click()
    await expect(page.getByLabel('Nombre completo')).toHaveValue('')
    told.push(await page.getByRole('status').textContent())
    await page.reload()
  }
  expect(told[0]).toContain('No tienes que venir.')
  expect(told[1]).toBe(told[0])
  await expectAccessible(page)

  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores/privacidad')
  await expect(page.getByText('Piden por el sitio su folio').first()).toBeAttached()
  const row = page.getByRole('row').filter({ hasText: 'Lidia Sauce' })
  await expect(row).toHaveCount(1)
  await expectAccessible(page)
  await row.getByRole('link', { name: 'bórrala aquí abajo' }).click()
  await expect(page.getByText('Es la inscripción de Lidia Sauce')).toBeVisible()
  await row.getByRole('button', { name: 'Ya está atendida' }).click()
  await expect(row).toHaveCount(0)
})

test('an outlet asks for its accreditation on the press’s page, and one press accredits it', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/net::ERR_/)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/medios')
  await hydrated(page)
  await expect(page.getByRole('link', { name: 'Soy de la organización' })).toHaveAttribute('href', '/organizadores')
  await page.getByText('Pedir que acrediten a mi medio').click()
  await page.getByLabel('Medio', { exact: true }).fill('El Eco')
  await page.getByLabel('Tu nombre').fill('Uma Roble')
  await page.getByLabel('Correo del medio').fill('uma@eco.example')
  // A lost answer is said at the request, not at the sign-in.
  await page.route('**/medios.data*', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Enviar petición' }).click()
  await expect(page.getByText('No llegó la respuesta. Revisa tu conexión e inténtalo de nuevo.')).toBeVisible()
  await expect(page.getByText('Error al iniciar sesión.')).toHaveCount(0)
  await expect(page.getByLabel('Tu nombre')).toHaveValue('Uma Roble')
  await page.getByRole('button', { name: 'Enviar petición' }).click()
  await expect(page.getByText('El comité lo revisa y te contesta a uma@eco.example.')).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)

  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores/personas')
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Acreditar a El Eco' }).click()
  await expect(page.getByText('Mándale tú a uma@eco.example el enlace de aquí abajo.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Piden su acreditación' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Prensa acreditada' })).toContainText('El Eco')
  await expectAccessible(page)
})
