import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { expectAccessible } from '../../e2e/accessible.ts'
import { PASSWORD, signIn, signInVoter } from '../../e2e/accounts.ts'
import { castOn } from '../../e2e/cast-votes.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { copyBuiltProject } from '../../support/site/project-copy.ts'
import { startSite } from '../../support/site/running-site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

const RENATA = 'renata-cempasuchil-nava'
const YA_NO = 'Esta candidata ya no participa en el certamen'

let copy: string
// A withdrawal deletes generated pictures, so the site runs in a copy.
test.beforeAll(async () => {
  copy = await copyBuiltProject()
})
test.afterAll(() => rm(copy, { recursive: true, force: true }))

test('a candidate is withdrawn during the vote: nothing of her is left, the vote goes on, and the record is recounted', async ({
  page,
  browser,
  expectedErrors,
}, info) => {
  expectedErrors.push(/status of 40[14]/, /status of 410/)
  const before = await startSite({ SITE_CLOCK: '2025-09-20T12:00-06:00' }, copy)
  let site = Site.of(before)
  let { stop } = before
  const visits = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const visitor = await visits.newPage()
  const press = await browser.newContext()
  for (const one of [page, visitor]) one.setDefaultTimeout(20_000)
  const get = (path: string) => visitor.request.get(new URL(path, site.url).href)
  try {
    await castOn(site, [2, 3, 1, 0, 1])
    // A visitor votes for her on the site itself.
    await signInVoter(visitor.context(), site)
    await visitor.goto(`${site.url}/misspopularidad?vote=1`)
    await expect(visitor.getByText('Tu voto ha sido registrado')).toBeVisible()
    const receipt = (await visitor.locator('text=/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/').first().textContent())!

    await visitor.goto(`${site.url}/candidatas`)
    const hers = await visitor
      .locator(`article#${RENATA} img`)
      .evaluateAll((all: HTMLImageElement[]) =>
        all.flatMap((one) => [one.currentSrc || one.src, one.srcset.split(' ')[0]!]).filter(Boolean),
      )
    expect(hers.length).toBeGreaterThan(3)
    const [, shareCard = ''] =
      /property="og:image" content="([^"]+)"/.exec(await (await get('/misspopularidad?vote=1')).text()) ?? []
    expect(shareCard).toContain(`tarjeta-candidata-${RENATA}`)
    await signIn(press, site, 'prensa')
    const zip = `/descargas/senorita-azahares-2025-${RENATA}.zip`
    const png = `/descargas/senorita-azahares-2025-${RENATA}-normal.png`
    for (const path of [zip, png]) expect((await press.request.get(site.url + path)).status(), path).toBe(200)
    for (const path of [...hers, shareCard]) expect((await get(path)).status(), path).toBe(200)

    await signIn(page.context(), site, 'admin')
    await page.goto(`${site.url}/organizadores/sitio/retirar`)
    await page.getByText('Retirar a Renata Cempasúchil Nava').click()
    const form = page.getByRole('form', { name: 'Retirar a Renata Cempasúchil Nava' })
    await expectAccessible(page)
    await page.screenshot({ path: info.outputPath('retirar-390.png') })
    await form.getByRole('checkbox').check()
    await site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)
    await form.getByRole('button', { name: 'Retirar' }).click()
    await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirmar y continuar' }).click()
    await expect(page.getByText('Listo: su perfil, sus fotografías')).toBeVisible()

    await expect.poll(async () => (await get('/candidatas')).text()).not.toContain('Renata')
    for (const path of [...hers, shareCard])
      await expect.poll(async () => (await get(path)).status(), { message: path, timeout: 30_000 }).toBe(404)
    for (const path of [zip, png]) expect((await press.request.get(site.url + path)).status(), path).toBe(404)
    for (const path of ['/', '/misspopularidad', '/misspopularidad?vote=1', '/galeria-candidatas', '/sitemap.xml'])
      expect(await (await press.request.get(site.url + path)).text(), path).not.toContain('Renata')
    // The storage is cleaned after this machine's files.
    await expect.poll(async () => (await site.objects('edicion')).filter((path) => path.includes(RENATA))).toEqual([])
    expect(await site.sql(`select que from bitacora where que = 'sitio.retirada'`)).toEqual([{ que: 'sitio.retirada' }])

    // The address of her profile says so, with or without JavaScript, and does not name her.
    const still = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const quiet = await still.newPage()
    await quiet.goto(`${site.url}/candidatas#${RENATA}`)
    await expect(quiet.getByText(`${YA_NO}.`)).toBeVisible()
    await quiet.screenshot({ path: info.outputPath('su-direccion-390.png') })
    await quiet.goto(`${site.url}/candidatas`)
    await expect(quiet.getByText(YA_NO)).toBeHidden()
    await quiet.goto(`${site.url}/misspopularidad?vote=1`)
    await expect(quiet.getByText(`${YA_NO}: tu voto sigue sin usarse, elige a otra.`)).toBeVisible()
    await still.close()

    // A vote for her is not used up; the other candidates keep their places.
    const cookie = await signInVoter(visitor.context(), site)
    const post = (vote: string) =>
      fetch(`${site.url}/misspopularidad/voto`, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({ vote }),
      })
    const refused = await post('1')
    expect([refused.status, await refused.json()]).toEqual([410, { ok: false, reason: 'retirada' }])
    await visitor.goto(`${site.url}/misspopularidad?vote=1`)
    await expect(visitor.getByRole('dialog').getByText(`${YA_NO}: tu voto sigue sin usarse`)).toBeVisible()
    await expectAccessible(visitor)
    await visitor.screenshot({ path: info.outputPath('su-enlace-390.png') })
    await visitor.keyboard.press('Escape')
    await expect(visitor.getByRole('button', { name: /^Votar por/ })).toHaveCount(4)
    expect(await (await get('/misspopularidad?vote=4')).text()).toContain('Vota por Paola Colorín Vega')
    expect((await post('4')).status).toBe(200)

    // An earlier publication does not bring her back.
    await page.goto(`${site.url}/organizadores/sitio/publicaciones`)
    for (const path of ['/organizadores/sitio/publicaciones', '/misspopularidad-resultados', '/organizadores/sitio'])
      expect(
        (await (await page.request.get(site.url + path)).text()).match(/Renata[^<]{0,40}/)?.[0],
        path,
      ).toBeUndefined()

    await expect
      .poll(
        async () => (await site.sql('select count(*)::int as n from banda_digital_votes where lote is not null'))[0],
        { timeout: 30_000 },
      )
      .toEqual({ n: 9 })
    // The open page must not fetch anything while no site runs.
    await page.goto('about:blank')
    before.process.kill('SIGTERM')
    await once(before.process, 'exit')
    const { port } = new URL(before.url)
    const after = await startSite(
      { SITE_CLOCK: '2025-09-26T00:05:00-06:00', DATA_DIR: before.dataDir, PORT: port },
      copy,
    )
    site = Site.of(after)
    stop = after.stop
    await page.context().clearCookies()
    await signIn(page.context(), site, 'admin')
    await page.goto(`${site.url}/misspopularidad-resultados`)
    await expect(page.getByText('Otros / inválidos: 4 · Total: 9')).toBeVisible()
    await page.locator('#cerrar').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Sellar acta de cierre' }).click()
    await expect(page.getByText('El acta de cierre quedó sellada y publicada.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Proclamar a Renata Cempasúchil Nava' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Recontar' }).first().click()
    await expect(page.getByText('Recuento hecho: todo coincide.')).toBeVisible()

    await visitor.goto(`${site.url}/misspopularidad/acta`)
    await expect(visitor.getByText(/^Renata Cempasúchil Nava se retiró del certamen el/)).toContainText(
      'Sus 4 votos cuentan entre «Otros / inválidos», como dice la regla publicada.',
    )
    await expectAccessible(visitor)
    await visitor.screenshot({ path: info.outputPath('acta-390.png'), fullPage: true })
    await visitor.getByLabel('Tu recibo').fill(receipt)
    await visitor.getByRole('button', { name: 'Buscar' }).click()
    await expect(visitor.getByText('Tu voto por Renata Cempasúchil Nava, que se retiró del certamen')).toBeVisible()
    await visitor.getByRole('button', { name: 'Contar de nuevo aquí' }).click()
    await expect(visitor.getByText('Todo coincide: 9 papeletas de acta.json')).toBeVisible()
    await writeFile(info.outputPath('acta.json'), await (await get('/misspopularidad/acta.json')).text())
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'escrutinio', '--', info.outputPath('acta.json')], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, expect.stringContaining('Paola Colorín Vega')])
  } finally {
    await page.goto('about:blank')
    await visits.close()
    await press.close()
    await stop()
  }
})
