import { signIn } from '../../e2e/accounts.ts'
import { castOn } from '../../e2e/cast-votes.ts'
import { look } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test('votes of few hours are bars, those of more a line with its peak and its hours', async ({ browser }, info) => {
  const site = await Site.start({ SITE_CLOCK: '2025-09-25T23:10-06:00' })
  const context = await browser.newContext({ baseURL: site.url })
  try {
    const page = await context.newPage()
    await signIn(context, site, 'admin')
    const charts = page.getByRole('region', { name: 'Votos en el tiempo' })
    await castOn(site, [3, 1], '2025-09-25T18:30:00-06:00')
    // The charts count sealed votes only.
    await expect(async () => {
      await page.goto('/misspopularidad-resultados')
      await expect(charts.getByRole('listitem').first()).toHaveText('25 sep, 18 h4', { timeout: 1_000 })
    }).toPass({ timeout: 60_000 })
    await expect(charts.locator('text')).toHaveCount(0)
    await look(page, info, 'barras')
    await castOn(site, [2, 7], '2025-09-25T21:30:00-06:00')
    await castOn(site, [1, 1])
    await expect(async () => {
      await page.reload()
      await expect(charts.locator('text')).toHaveText(
        [
          '9 · 25 sep, 21 h',
          ...['25 sep, 18 h', '25 sep, 20 h', '25 sep, 22 h'],
          ...['25 sep, 18 h', '25 sep, 20 h', '25 sep, 22 h'],
        ],
        { timeout: 1_000 },
      )
    }).toPass({ timeout: 60_000 })
    await look(page, info, 'lineas')
  } finally {
    await context.close()
    await site.stop()
  }
})
