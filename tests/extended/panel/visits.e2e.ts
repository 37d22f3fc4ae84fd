import { signIn } from '../../e2e/accounts.ts'
import { look } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test('visits are counted by screen and source, taps on logos and shares too, and a sponsor may be sent a page', async ({
  browser,
}, info) => {
  // Visits of other tests would be in the sums.
  const site = await Site.start()
  const context = await browser.newContext({ baseURL: site.url })
  const page = await context.newPage()
  const visitor = await browser.newContext({ baseURL: site.url })
  const screen = await visitor.newPage()
  await screen.goto('/?fbclid=IwAR0abc')
  await screen.locator('html[data-hydrated]').waitFor()
  // Within the site no document is requested, so the browser reports the visit.
  await screen.evaluate(() => (document.querySelector('a[href="/candidatas"]') as HTMLAnchorElement).click())
  await expect(screen.getByRole('heading', { level: 1 })).toContainText(/candidatas/i)
  await screen.goto('/')
  const mark = screen.getByRole('link', { name: /se abre en otra pestaña/ }).first()
  const name = (await mark.getAttribute('aria-label'))!.replace(/ en .*/, '')
  await mark.evaluate((link: HTMLAnchorElement) => {
    link.href = '/robots.txt'
    link.click()
  })
  // Unknown sponsors and screens are not counted, nor are requests of another site.
  const post = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${site.url}/visto?${query}`, { method: 'POST', headers })
  expect((await post('que=patrocinador&cual=Nadie')).status).toBe(204)
  expect((await post('que=pantalla&cual=/inventada')).status).toBe(204)
  expect((await post('que=pantalla&cual=/maestros', { origin: 'https://otro.example' })).status).toBe(403)
  expect((await post('que=compartido&cual=valeria-bugambilia-olmos')).status).toBe(204)

  await signIn(context, site, 'sitio')
  // Beacons arrive after everything else.
  await expect(async () => {
    await page.goto('/organizadores/visitas')
    await expect(page.getByText(`${name}1`)).toBeVisible({ timeout: 500 })
    await expect(page.getByText('/candidatas1')).toBeVisible({ timeout: 500 })
  }).toPass()
  await visitor.close()
  const list = (title: string) => page.getByRole('region', { name: title })
  await expect(list('De dónde llegaron')).toContainText('Facebook1')
  await expect(list('Qué vieron')).not.toContainText('inventada')
  await expect(list('Qué vieron')).not.toContainText('maestros')
  await expect(list('Toques en las marcas de patrocinadores')).toContainText(`${name}1`)
  await expect(list('Toques en las marcas de patrocinadores')).not.toContainText('Nadie')
  await expect(list('Candidatas compartidas')).toContainText('Valeria Bugambilia Olmos1')
  await look(page, info, 'visitas')

  await page.getByText('Para mandar a un patrocinador').click()
  const address = await page.getByRole('link', { name: `Página para ${name}` }).getAttribute('href')
  await context.clearCookies()
  await page.goto(address!)
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page.getByText('toques en tu marca')).toBeVisible()
  await look(page, info, 'informe')
  await context.close()
  await site.stop()
})
