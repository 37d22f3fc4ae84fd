import { signIn } from './accounts.ts'
import { hydrated } from './registration-form.ts'
import { test } from './site.ts'
import { softStep } from './soft-step.ts'
import { sow } from './sow-entries.ts'
import { expectReadable } from './whole-screen.ts'

// screens.e2e.ts does the same for every public screen after the final.
test.describe.configure({ mode: 'parallel' })

for (const path of ['/', '/candidatas', '/misspopularidad'])
  test(`${path} is whole in the days of the vote`, async ({ page, votingSite }) => {
    await page.goto(votingSite.url + path)
    await hydrated(page)
    await expectReadable(page)
  })

test('public screens beside the way through the site are whole', async ({ page }) => {
  for (const path of ['/misspopularidad/acta', '/medios/recuperar', '/jurado'])
    await softStep(`${path} is whole`, async () => {
      await page.goto(path)
      await expectReadable(page)
    })
})

test('the panel’s main screens are whole', async ({ context, page, site }) => {
  test.setTimeout(180_000)
  await signIn(context, site, 'admin')
  await sow(site, [{ titular: 'Ada Nardo Ordóñez' }, { tipo: 'traje' }])
  const screens = ['', '/personas', '/bitacora', '/mensajes', '/edicion', '/estado', '/visitas', '/cuenta', '/final']
  for (const path of [
    ...screens.map((one) => `/organizadores${one}`),
    '/organizadores/sitio',
    '/misspopularidad-resultados',
  ])
    await softStep(`${path} is whole`, async () => {
      await page.goto(path)
      await expectReadable(page, { mayBreakWords: true })
    })
})

test('an entry and the editor of the site are whole', async ({ context, page, site }) => {
  test.setTimeout(180_000)
  await signIn(context, site, 'admin')
  const [id] = await sow(site, [{ titular: 'Ada Nardo Ordóñez' }])
  await page.goto('/organizadores/sitio')
  const forms = await page
    .locator('a[href^="/organizadores/sitio/"]')
    .evaluateAll((links) => [...new Set(links.map((link) => new URL((link as HTMLAnchorElement).href).pathname))])
  for (const path of [`/organizadores/inscripciones/${id}`, ...forms])
    await softStep(`${path} is whole`, async () => {
      await page.goto(path)
      await hydrated(page)
      await expectReadable(page, { mayBreakWords: true })
    })
})
