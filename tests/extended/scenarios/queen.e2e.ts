import { setRecordPublic } from '#app/finals/record/mutations.server.ts'
import { judgeFinal } from '../../../scripts/commands/sample-final.ts'
import { expectAccessible } from '../../e2e/accessible.ts'
import { servicesOn, signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'

const YEAR = 2025

/** Runs the sample's final until its record is sealed and public. */
const crown = (site: Site) =>
  servicesOn(site, async (services) => {
    await judgeFinal(services, async () => {})
    const notary = { quien: 'notaria', desde: 'prueba' }
    expect(await setRecordPublic(services, YEAR, true, notary)).toEqual({ ok: true })
  })

test('a public final gives the site its queen within a minute, and the next edition takes nothing of it away', async ({
  page,
  browser,
  expectedErrors,
}) => {
  expectedErrors.push(/404/)
  const site = await Site.start({ SITE_CLOCK: '2025-09-28T23:30-06:00' })
  const context = await browser.newContext()
  try {
    const status = async (path: string) => (await fetch(site.url + path, { redirect: 'manual' })).status
    const text = async (path: string) => (await fetch(site.url + path)).text()
    expect([await status('/reina'), await status('/reina/2025')]).toEqual([404, 404])
    await crown(site)

    await expect.poll(() => text('/')).toContain('Conoce a la reina')
    await page.goto(`${site.url}/`)
    await expect(page.getByText('Valeria Bugambilia Olmos').first()).toBeVisible()
    await expect(page.getByText('La nueva reina: Valeria Bugambilia Olmos')).toBeAttached()
    await page.getByRole('link', { name: 'Conoce a la reina' }).first().click()
    await expect(page.getByRole('heading', { level: 1, name: 'Valeria Bugambilia' })).toBeVisible()
    await expect(page).toHaveTitle(/^Valeria Bugambilia Olmos, Señorita Azahares 2025/)
    const court = page.getByRole('region', { name: 'Su corte' }).getByRole('listitem')
    await expect(court).toHaveText([/Primera princesa/, /Segunda princesa/])
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await expectNoSidewaysScroll(page)
    }
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Consulta el acta de la final' }).click()
    await expect(page.getByRole('heading', { name: 'Acta de la final' })).toBeVisible()
    await page.goto(`${site.url}/nuestra-historia`)
    await expect(page.getByRole('region', { name: 'Reina saliente' })).toBeVisible()
    await expect(page.getByText('Desde la final la corona es de Valeria Bugambilia Olmos.')).toBeVisible()

    const panel = await context.newPage()
    await signIn(context, site, 'admin')
    await panel.goto(`${site.url}/organizadores/sitio/ediciones`)
    await panel.getByRole('button', { name: 'Preparar 2026' }).click()
    await panel.getByLabel(/^Entiendo que no se puede deshacer/).check()
    await panel.getByRole('button', { name: 'Abrir la edición 2026' }).click()
    await expect(panel.getByRole('heading', { name: 'Historia de publicaciones' })).toBeVisible()
    await expect.poll(() => text('/')).toContain('Señorita Azahares 2026')
    await panel.goto(`${site.url}/organizadores/final`)
    await expect(panel.getByText('Son las mismas de la final de 2025')).toBeVisible()
    const kept = ['/reina', '/reina/2025', '/final/acta', '/final/acta?edicion=2025', '/final/acta.json']
    for (const path of [...kept, '/misspopularidad/acta?edicion=2025']) expect(await status(path), path).toBe(200)
    expect([await status('/reina/2026'), await status('/reina/2024')]).toEqual([404, 404])
    expect(await text('/ediciones/2025')).toContain('/reina/2025')
    await page.goto(`${site.url}/misspopularidad/acta`)
    await page.getByRole('link', { name: '2025', exact: true }).click()
    await expect(page.getByText('Señorita Popularidad 2025')).toBeVisible()
    await panel.goto(`${site.url}/organizadores/sitio/ediciones`)
    await panel.getByRole('link', { name: 'acta de su final' }).click()
    await expect(panel.getByRole('heading', { name: 'Acta de la final' })).toBeVisible()
  } finally {
    await page.goto('about:blank')
    await context.close()
    await site.stop()
  }
})
