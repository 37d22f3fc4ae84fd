import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { castOn } from '../../e2e/cast-votes.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test('the closing of a vote under way is moved with a reason, which a record publishes', async ({
  page,
  browser,
  expectedErrors,
}) => {
  expectedErrors.push(/422/)
  const site = await Site.start({ SITE_CLOCK: '2025-09-25T22:00-06:00' })
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const visitor = await context.newPage()
  try {
    await castOn(site, [2, 1, 0, 0, 1])
    await expect.poll(() => site.sql(`select 1 from actas where clase = 'apertura'`)).toHaveLength(1)
    await signIn(page.context(), site, 'admin')
    await page.goto(`${site.url}/organizadores/sitio/certamen`)
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    await page.getByLabel('Cierra la votación', { exact: true }).fill('2025-09-26T20:00')
    await expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()

    await page.goto(`${site.url}/organizadores/sitio/publicar`)
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    const reason = page.getByLabel('Por qué se mueve el cierre de la votación')
    await expect(reason).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByRole('alert').first()).toContainText(/por qué|motivo/i)
    expect(await site.sql(`select 1 from actas where clase = 'cierre-movido'`)).toEqual([])
    await reason.fill('Se fue la luz en la plaza durante dos horas.')
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\. Ya lo ve quien visita el sitio/)).toBeVisible()

    await visitor.goto(`${site.url}/misspopularidad`)
    await expect(visitor.getByText(/26 de septiembre/).first()).toBeVisible()
    await visitor.goto(`${site.url}/misspopularidad/acta`)
    await expect(visitor.getByText('Se fue la luz en la plaza durante dos horas.')).toBeVisible()
    await expectAccessible(visitor)
    expect(await site.sql(`select clase from actas order by clase`)).toEqual([
      { clase: 'apertura' },
      { clase: 'cierre-movido' },
    ])
  } finally {
    await page.goto('about:blank')
    await context.close()
    await site.stop()
  }
})
