import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test('next year is laid out and opened with a press; the year before keeps its own screen', async ({
  page,
  browser,
}) => {
  const site = await Site.start()
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const visitor = await context.newPage()
  try {
    await signIn(page.context(), site, 'admin')
    await page.goto(`${site.url}/organizadores/sitio`)
    await page.getByRole('link', { name: 'Ediciones por año' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Preparar 2026' }).click()
    await expect(page.getByRole('heading', { name: 'Abrir la edición 2026' })).toBeVisible()
    await expect(page.getByText(/^Lo que sigue es normal en una edición que se prepara/)).toBeVisible()
    await expect(page.getByText(/cosas dicen todavía lo del año pasado/)).toBeVisible()
    await expectAccessible(page)

    // Visitors see this year's edition, also while next year's is written.
    await visitor.goto(`${site.url}/`)
    await expect(visitor).toHaveTitle('Señorita Azahares 2025')
    await page.goto(`${site.url}/organizadores/sitio/certamen`)
    await expect(page.getByText('Escribes la 2026')).toBeVisible()
    await expect(page.getByLabel('Número de la edición', { exact: true })).toHaveValue('102')
    await page.goto(`${site.url}/organizadores/sitio/ver`)
    await page.getByRole('button', { name: 'Ver el sitio así' }).click()
    await expect(page).toHaveTitle('Señorita Azahares 2026')
    await page.goto(`${site.url}/candidatas`)
    await expect(page.getByRole('heading', { name: 'Pronto conocerás a las candidatas' })).toBeVisible()
    await page.goto(`${site.url}/organizadores/sitio/ver`)
    await page.getByRole('button', { name: 'Salir de la vista previa' }).click()
    // The press loads a document, which would replace an earlier navigation.
    await expect(page).toHaveURL(`${site.url}/organizadores/sitio`)

    await page.goto(`${site.url}/organizadores/sitio`)
    await page.getByRole('link', { name: 'Cambios', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Cambios' })).toBeVisible()
    await expect(page.getByText('Todavía no se abre: se publica al abrirla, en Ediciones por año.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Publicar' })).toHaveCount(0)
    await page.goto(`${site.url}/organizadores/sitio/ediciones`)
    await expect(page.getByText('Escribes la 2026 Todavía no se abre.')).toBeVisible()
    // What cannot be undone and what is still of last year stand beside the button, which waits for a tick.
    await expect(page.getByText('Al abrirla no hay regreso')).toBeVisible()
    await page.getByText(/^\d+ fechas no cuadran con las demás$/).click()
    await expect(
      page.getByText(/^Aviso de privacidad › .*: dice una fecha de 2025, y esta edición es la 2026$/),
    ).toBeVisible()
    const open = { hacer: 'abrir', anio: '2026', version: '0' }
    const headers = { origin: site.url }
    const unticked = await page.request.post(`${site.url}/organizadores/sitio/ediciones`, { form: open, headers })
    expect(await unticked.text()).toContain('Marca que entiendes que no se puede deshacer')
    await page.getByLabel(/^Entiendo que no se puede deshacer, y que \d+ cosas dicen todavía lo de 2025$/).check()
    await page.getByRole('button', { name: 'Abrir la edición 2026' }).click()
    await expect(page.getByRole('heading', { name: 'Historia de publicaciones' })).toBeVisible()
    await expect(page.getByText(/^(La edición 2026 se está publicando…|Listo: la edición 2026 ya es)/)).toBeVisible()
    await expect(page.getByText('Listo: la edición 2026 ya es la que se ve.')).toBeVisible()
    await expect
      .poll(async () => (await visitor.request.get(`${site.url}/`)).text())
      .toContain('Señorita Azahares 2026')
    await visitor.goto(`${site.url}/candidatas`)
    await expect(visitor.getByRole('heading', { name: 'Pronto conocerás a las candidatas' })).toBeVisible()
    await visitor.goto(`${site.url}/nuestra-historia`)
    await visitor.getByRole('link', { name: /2025/ }).first().click()
    await expect(visitor).toHaveURL(`${site.url}/ediciones/2025`)
    await expect(visitor.getByRole('heading', { level: 1, name: 'Señorita Azahares 2025' })).toBeVisible()
    await expect(visitor.getByText('Ximena Agave').first()).toBeVisible()
    await expectAccessible(visitor)
    const record = await visitor.request.get(`${site.url}/misspopularidad/acta.json?edicion=2025`)
    expect(await record.json()).toMatchObject({ portada: expect.anything() })
    const photo = await visitor
      .getByRole('img')
      .first()
      .evaluate((image: HTMLImageElement) => image.currentSrc)
    expect((await visitor.request.get(photo)).status()).toBe(200)
  } finally {
    await page.goto('about:blank')
    await context.close()
    await site.stop()
  }
})
