import { signIn } from '../../e2e/accounts.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { test } from '../../e2e/site.ts'
import { softStep } from '../../e2e/soft-step.ts'
import { sow } from '../../e2e/sow-entries.ts'
import { expectReadable } from '../../e2e/whole-screen.ts'

test.describe.configure({ mode: 'parallel' })

test('the panel’s main screens are whole', async ({ context, page, site }) => {
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
