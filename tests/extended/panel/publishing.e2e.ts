import { setTimeout } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

async function write(page: Page, base: string, screen: string, field: string, text: string): Promise<void> {
  await page.goto(`${base}/organizadores/sitio/${screen}`)
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page.getByLabel(field, { exact: true }).fill(text)
  await expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()
}

test('a word is changed, looked at, published, seen by a visitor, and taken back', async ({ page, browser }) => {
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' })
  const visitor = await browser.newPage()
  try {
    await signIn(page.context(), site, 'admin')
    await write(page, site.url, 'historia', 'Estudios', 'Ingeniería Civil')

    // The preview shows the whole site at a chosen moment, to her alone.
    await page.goto(`${site.url}/organizadores/sitio/ver`)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Un minuto después de que cierre la votación' }).click()
    const previewBar = page.getByRole('complementary', { name: 'Vista previa' })
    await expect(previewBar).toContainText('Así se vería el 26 sep 2025, 00:00')
    await page.goto(`${site.url}/nuestra-historia`)
    await expect(page.getByText('Ingeniería Civil')).toBeVisible()
    await expectAccessible(page)
    await page.goto(`${site.url}/misspopularidad`)
    await expect(page.getByRole('button', { name: /^Votar por/ })).toHaveCount(0)
    expect(await (await page.request.get(`${site.url}/hora`)).json()).toEqual({ ahora: '2025-09-26T06:00:00.000Z' })
    const sent = await page.request.post(`${site.url}/misspopularidad/voto`, {
      headers: { origin: site.url },
      data: { vote: 1 },
    })
    expect([sent.status(), await sent.text()]).toEqual([403, expect.stringContaining('desde aquí no se envía nada')])

    // The preview's cookie without a session shows the public site.
    const [view] = (await page.context().cookies()).filter(({ name }) => name.endsWith('.vista'))
    await visitor.context().addCookies([view!])
    await visitor.goto(`${site.url}/nuestra-historia`)
    await expect(visitor.getByText('Ingeniería en Alimentos')).toBeVisible()
    await expect(visitor.getByRole('complementary', { name: 'Vista previa' })).toHaveCount(0)
    await visitor.context().clearCookies()

    await page.goto(`${site.url}/nuestra-historia`)
    await previewBar.getByRole('link').click()
    await page.getByRole('button', { name: 'Salir de la vista previa' }).click()
    await expect(page).toHaveURL(/\/organizadores\/sitio$/)
    await page.goto(`${site.url}/nuestra-historia`)
    await expect(page.getByText('Ingeniería en Alimentos')).toBeVisible()

    await page.goto(`${site.url}/organizadores/sitio`)
    await page.getByRole('link', { name: 'Publicar' }).click()
    await expect(page.getByRole('heading', { name: 'Cambia una cosa' })).toBeVisible()
    const change = page.getByRole('listitem').filter({ hasText: 'Estudios' })
    await expect(change).toContainText('Ingeniería en Alimentos')
    await expect(change).toContainText('Ingeniería Civil')
    await expectAccessible(page)
    await page.getByLabel('Nota para la historia (opcional)').fill('La carrera de la reina')
    // The message of a running publication stands above the pressed button, once.
    const publishButton = page.getByRole('button', { name: 'Publicar' })
    const running = page.getByRole('status').filter({ hasText: 'Publicando…' })
    let send = () => {}
    const held = new Promise<void>((resolve) => {
      send = resolve
    })
    await page.route('**/organizadores/sitio/publicar.data*', async (route) => {
      if (route.request().method() === 'POST') await held
      // On a slow connection a load of the screen takes longer than the pause between loads.
      else await setTimeout(1_500)
      await route.continue()
    })
    await publishButton.click()
    await expect(running).toHaveCount(1)
    await expect(running).toBeInViewport()
    const [message, pressed] = [await running.boundingBox(), await publishButton.boundingBox()]
    expect(message!.y + message!.height).toBeLessThanOrEqual(pressed!.y)
    send()
    await expect(page.getByText(/^Publicado\. Ya lo ve quien visita el sitio/)).toBeVisible()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // A process shows the publication a moment after the database has it in force.
    await expect(async () => {
      await visitor.goto(`${site.url}/nuestra-historia`)
      await expect(visitor.getByText('Ingeniería Civil')).toBeVisible({ timeout: 500 })
    }).toPass()
    await expect(page.getByText('No hay cambios sin publicar')).toBeVisible()

    await page.getByRole('link', { name: 'Historia de publicaciones' }).click()
    await expect(page.getByText('«La carrera de la reina»')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Ver qué cambiaría' }).click()
    await expect(page.getByText('Ingeniería en Alimentos')).toBeVisible()
    await page.getByRole('button', { name: /^Regresar a la número/ }).click()
    await expect(page.getByText('Listo: el sitio vuelve a ese momento')).toBeVisible()
    await expect
      .poll(async () => (await visitor.request.get(`${site.url}/nuestra-historia`)).text())
      .toContain('Ingeniería en Alimentos')
    expect(await site.sql(`select que from bitacora where que like 'sitio.%' order by id`)).toEqual([
      { que: 'sitio.publicado' },
      { que: 'sitio.regresado' },
    ])
  } finally {
    await page.goto('about:blank')
    await visitor.close()
    await site.stop()
  }
})

test('a draft that would break the site is not published; a draft that changed meanwhile is shown again', async ({
  page,
  browser,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/409 \(Conflict\)/)
  await signIn(page.context(), site, 'admin')
  await write(page, site.url, 'historia', 'Estudios', '')
  await page.goto('/organizadores/sitio/publicar')
  await expect(page.getByRole('heading', { name: 'Antes de publicar, arregla esto' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Publicar' })).toBeDisabled()
  await page
    .getByRole('link', { name: /Estudios/ })
    .first()
    .click()
  await expect(page.getByLabel('Estudios', { exact: true })).toBeFocused()
  await write(page, site.url, 'historia', 'Estudios', 'Derecho, hasta la final del 3 de septiembre')
  // A date that contradicts the others is listed, and can be published all the same.
  await page.goto('/organizadores/sitio/publicar')
  await expect(page.getByRole('heading', { name: 'Una fecha no cuadra con las demás' })).toBeVisible()
  await expect(page.getByText(': dice «3 de septiembre», y la final es el 27 de septiembre de 2025')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Publicar' })).toBeEnabled()

  const other = await browser.newContext()
  await signIn(other, site, 'admin')
  await page.goto('/organizadores/sitio/publicar')
  await expect(page.getByRole('heading', { name: 'Cambia una cosa' })).toBeVisible()
  await write(await other.newPage(), site.url, 'historia', 'Lugar de nacimiento', 'Tierra Colorada, Jalisco')
  await page.getByRole('button', { name: 'Publicar' }).click()
  await expect(page.getByText('Mientras revisabas, alguien cambió el borrador.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Cambian 2 cosas' })).toBeVisible()
  expect(await site.sql(`select 1 from publicaciones where origen = 'panel'`)).toEqual([])
  await other.close()
  await site.sql('delete from borradores')
})
