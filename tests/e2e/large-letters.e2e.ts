import { hydrated } from './registration-form.ts'
import { test } from './site.ts'
import { softStep } from './soft-step.ts'
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
