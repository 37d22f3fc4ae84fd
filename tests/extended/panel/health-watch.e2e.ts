import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { announceDeletions } from '#app/entries/retention/schedule.server.ts'
import { servicesOn, signIn } from '../../e2e/accounts.ts'
import { look } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { seedEntry } from '../../support/entries/seeded-entries.ts'
import { freePort } from '../../support/site/running-site.ts'

test('due deletions are announced in the panel and by mail, held and let go on; the site’s state is shown', async ({
  browser,
}, info) => {
  const port = await freePort()
  const site = await Site.start({ METRICS_PORT: String(port) })
  const context = await browser.newContext({ baseURL: site.url })
  const page = await context.newPage()
  await signIn(context, site, 'admin')
  const id = await servicesOn(site, async (services) => {
    const made = await seedEntry(services, { createdAt: new Date('2025-08-01') })
    // Runs the announcement now, which the site's sweep would do within a quarter of an hour.
    await announceDeletions({ ...services, clock: { now: () => new Date('2026-06-01') } }, new Date())
    return made
  })
  await page.goto('/organizadores')
  await expect(
    page.getByText('Se van a borrar, porque venció su plazo, 1 inscripción con sus documentos'),
  ).toBeVisible()
  await page.goto('/organizadores/privacidad')
  await page.locator('html[data-hydrated]').waitFor()
  await look(page, info, 'privacidad')
  await page.getByRole('button', { name: 'Detener los borrados de la edición 2025' }).click()
  await expect(page.getByText('Listo: de esa edición no se borra nada por plazo')).toBeVisible()
  await page.goto('/organizadores')
  await expect(page.getByText('Se van a borrar')).toBeHidden()
  await page.goto('/organizadores/privacidad')
  await expect(page.getByText('Detenido: no se borran')).toBeVisible()
  await page.getByRole('button', { name: 'Seguir los borrados de la edición 2025' }).click()
  await expect(page.getByText('Listo: los borrados de esa edición siguen')).toBeVisible()
  await page.goto('/organizadores/bitacora')
  await expect(page.getByText('Detuvo los borrados por plazo')).toBeVisible()

  // The clock is far ahead of the last hour that the database saw.
  await site.sql(`update reloj_visto set visto_at = now() - interval '40 days'`)
  await page.goto('/organizadores/privacidad')
  await expect(page.getByRole('heading', { name: '¿Es correcta la hora?' })).toBeVisible()
  await look(page, info, 'reloj')
  await page.getByRole('button', { name: 'Sí, la hora es correcta' }).click()
  await expect(page.getByText('Listo: la hora quedó confirmada')).toBeVisible()
  expect(await site.sql('select id from inscripciones where id = $1', [id])).toHaveLength(1)

  // The health watch runs every minute, and its last result may be older than the confirmation.
  await expect(async () => {
    await page.goto('/organizadores/estado')
    await expect(page.getByRole('heading', { name: 'Respaldos' })).toBeVisible({ timeout: 500 })
    await expect(page.getByText('El sitio funciona. Hay algo que conviene revisar.')).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 120_000 })
  await look(page, info, 'estado')
  // The key of the backups is shown to an organiser, who says that it is written down.
  await page.getByRole('button', { name: 'Ver la clave' }).click()
  await expect(page.getByText(/^([0-9a-f]{5}-){7}[0-9a-f]{5}$/)).toBeVisible()
  await look(page, info, 'clave-de-copias')
  await page.getByRole('button', { name: 'Ya la tengo guardada' }).click()
  await expect(page.getByText('Alguien de la organización ya la tiene guardada.')).toBeVisible()
  expect(await site.sql('select 1 from clave_de_copias where anotada_at is not null')).toHaveLength(1)
  await expect
    .poll(() => site.sql(`select 1 from correos where kind = 'borrado'`).then((rows) => rows.length))
    .toBeGreaterThan(0)

  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toMatch(/certamen_peticiones_segundos_count\{clase="panel",estado="200"\} \d/)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await fetch(`${site.url}/metrics`)).status).toBe(404)

  // `npm run estado` beside the running site.
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/estado.ts', '--json'], {
    env: { ...process.env, DATA_DIR: site.dataDir, PUBLIC_URL: site.url },
  })
  const said = JSON.parse(stdout) as { ok: boolean; enMarcha: boolean; lineas: { de: string; nivel: string }[] }
  expect([said.ok, said.enMarcha]).toEqual([true, true])
  expect(said.lineas.find(({ de }) => de === 'proxy')).toMatchObject({ nivel: 'ok' })
  await context.close()
  await site.stop()
})
