import { spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { withHyphens } from '#app/voting/election/receipt.ts'
import type { SealsFile } from '#app/voting/record/schema.ts'
import { closeVote } from '#app/voting/sealing/mutations.server.ts'
import { ACTOR, CLOSED, ELECTION } from '../support/voting/votes.ts'
import { expectAccessible } from './accessible.ts'
import { servicesOn, signInVoter } from './accounts.ts'
import { castOn } from './cast-votes.ts'
import { test as base, expect, Site } from './site.ts'

/** A vote's mail and seals, as a voter kept them, and the site after the vote has closed. */
interface HeldVote {
  site: Site
  /** A voter's mail with the receipt, as the mail server got it. */
  mail: string
  receipt: string
  /** /misspopularidad/sellos.json while the vote was open. */
  seals: string
}

const fetchSeals = async (site: Site): Promise<{ answer: Response; seals: SealsFile }> => {
  const answer = await fetch(`${site.url}/misspopularidad/sellos.json`)
  return { answer, seals: (await answer.clone().json()) as SealsFile }
}

const test = base.extend<object, { heldVote: HeldVote }>({
  heldVote: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
    async ({}, use) => {
      const site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' })
      try {
        const heldVote = await vote(site)
        await site.at('2025-09-26T00:05:00-06:00')
        const done = await servicesOn(site, (services) =>
          closeVote({ ...services, clock: { now: () => CLOSED } }, ELECTION, ACTOR),
        )
        expect(done.ok).toBe(true)
        await use({ ...heldVote, site })
      } finally {
        await site.stop()
      }
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: ({ heldVote }, use) => use(heldVote.site.url),
})

/** Runs a vote of 215 people, then of one voter whose mail names the newest block; checks the published seals meanwhile. */
async function vote(site: Site): Promise<Omit<HeldVote, 'site'>> {
  const empty = await fetchSeals(site)
  expect([empty.answer.status, empty.seals]).toEqual([200, { edicion: 2025, minimo: 200, cajas: [] }])
  await castOn(site, [60, 50, 45, 40, 20])
  await expect.poll(async () => (await fetchSeals(site)).seals.cajas.length).toBe(1)
  const { answer, seals } = await fetchSeals(site)
  const [block] = seals.cajas
  expect(block!.papeletas).toBeGreaterThanOrEqual(200)
  expect(answer.headers.get('cache-control')).toMatch(/public, max-age=\d$/)
  const known = { 'if-none-match': answer.headers.get('etag')! }
  expect((await fetch(answer.url, { headers: known })).status).toBe(304)
  // Numbers, counts and seals only: no time, no voter, no candidate.
  expect(Object.keys(block!)).toEqual(['numero', 'papeletas', 'sello'])

  const page = await (await fetch(`${site.url}/misspopularidad`)).text()
  expect(page).toContain('Votos ya sellados')
  expect(page).toContain(block!.sello)
  // The wheel lights as many bulbs as votes are published.
  expect(page).toContain(`data-votes="${block!.papeletas}"`)

  let cookie = ''
  const email = `testigo${Date.now()}@correo.mx`
  const context = { addCookies: async () => {} } as unknown as Parameters<typeof signInVoter>[0]
  cookie = await signInVoter(context, site, email)
  const body = new URLSearchParams({ vote: '1' })
  const cast = await fetch(`${site.url}/misspopularidad/voto`, { method: 'POST', headers: { cookie }, body })
  const receipt = withHyphens(((await cast.json()) as { recibo: string }).recibo)
  let eml = ''
  await expect
    .poll(
      async () => {
        const folder = join(site.dataDir, 'outbox')
        for (const name of await readdir(folder).catch(() => [])) {
          const text = await readFile(join(folder, name), 'utf8')
          if (text.includes(email) && text.includes(receipt)) eml = text
        }
        return eml
      },
      { timeout: 40_000 },
    )
    .toContain('Caja 1, con ')
  return { mail: eml, receipt, seals: await answer.text() }
}

const act = async (site: Site) => (await fetch(`${site.url}/misspopularidad/acta.json`)).text()
/** The outcome of a recount, which a screen reader reads aloud. */
const said = (page: Page) => page.getByRole('region', { name: 'Cuéntala de nuevo' }).getByRole('status')
const look = async (page: Page, name: string) => {
  if (!process.env.MIRAR) return
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: join(process.env.MIRAR, `${name}-${width}.png`), fullPage: true })
  }
}

test('one click counts the published record on the visitor’s device, sends nothing, and says what was checked', async ({
  page,
  heldVote,
}) => {
  await page.goto('/misspopularidad/acta')
  await look(page, 'acta-antes')
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${request.url().slice(heldVote.site.url.length)}`))
  await page.getByRole('button', { name: 'Contar de nuevo aquí' }).click()
  await expect(said(page)).toHaveText('Todo coincide: 216 papeletas de acta.json, contadas en tu aparato.')
  const table = page.getByRole('table', { name: 'Contado en tu aparato' })
  await expect(table.getByRole('row').filter({ hasText: 'Renata' })).toContainText('51')
  await expect(page.getByText('Los sellos de las 2 cajas salen de sus papeletas')).toBeVisible()
  // Only the page's own files and times are requested; nothing of the visitor is sent.
  expect(asked.filter((one) => !/^GET \/(assets\/[\w.-]+|favicon\.svg|periodos)$/.test(one))).toEqual([
    'GET /misspopularidad/acta.json',
  ])
  await expectAccessible(page)
  await look(page, 'acta-bien')

  await page.getByLabel('Comparar con lo que guardaste').setInputFiles([
    { name: 'recibo.eml', mimeType: 'message/rfc822', buffer: Buffer.from(heldVote.mail) },
    { name: 'sellos.json', mimeType: 'application/json', buffer: Buffer.from(heldVote.seals) },
  ])
  await expect(
    page.getByText(`recibo.eml: El recibo ${heldVote.receipt} está en la caja 2, y su voto cuenta.`),
  ).toBeVisible()
  await expect(page.getByText('sellos.json: La caja 1 está en el acta como se publicó')).toBeVisible()
  await look(page, 'acta-testigos')
})

test('a file from the disk is counted offline; a changed file is refused, fault by fault', async ({
  page,
  context,
  heldVote,
}) => {
  const counter = page.waitForResponse((answer) => /assets\/verify-here\.client/.test(answer.url()))
  await page.goto('/misspopularidad/acta')
  await (await counter).finished()
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  const text = await act(heldVote.site)
  expect(text).toContain('"portada"')
  const open = page.getByLabel('Abrir un acta guardada')
  const give = (content: string) =>
    open.setInputFiles({ name: 'guardada.json', mimeType: 'application/json', buffer: Buffer.from(content) })
  await give(text)
  await expect(said(page)).toHaveText('Todo coincide: 216 papeletas de guardada.json, contadas en tu aparato.')
  await give(text.replace('"votos":51', '"votos":91'))
  await expect(said(page)).toHaveText(/^No coincide: \d fallas en guardada\.json\.$/)
  await expect(page.getByText('Renata Cempasúchil Nava: el acta dice 91 y las papeletas dan 51.')).toBeVisible()
  await expect(page.getByText('El sello del acta no corresponde a lo que dice.')).toBeVisible()
  await expectAccessible(page)
  await look(page, 'acta-mal')
  await give('{"otra": "cosa"}')
  await expect(said(page)).toHaveText(/no es un acta de este sitio, o está incompleto/)
  await page.getByLabel('Comparar con lo que guardaste').setInputFiles({
    name: 'sellos.json',
    mimeType: 'application/json',
    buffer: Buffer.from(heldVote.seals.replace(/"sello":"[0-9a-f]{4}/, '"sello":"0000')),
  })
  await give(text)
  await expect(page.getByText('sellos.json: La caja 1 tiene otro sello en el acta.')).toBeVisible()
})

test('a failed connection is reported, and the next press counts', async ({ page }) => {
  await page.goto('/misspopularidad/acta')
  await page.route('**/misspopularidad/acta.json', (route) => route.fulfill({ status: 503, body: 'Todavía no está.' }))
  await page.getByRole('button', { name: 'Contar de nuevo aquí' }).click()
  await expect(said(page)).toHaveText('Todavía no está.')
  await page.unroute('**/misspopularidad/acta.json')
  await page.getByRole('button', { name: 'Contar de nuevo aquí' }).click()
  await expect(said(page)).toHaveText(/^Todo coincide/)
})
test.use({ expectedErrors: [[/status of 503/, /ERR_INTERNET_DISCONNECTED/], { scope: 'test' }] })

test('the command compares a record with kept mails and seals, and names the differences', async ({
  heldVote,
}, info) => {
  // Starts the command seven times.
  const file = (name: string) => info.outputPath(name)
  await writeFile(file('acta.json'), await act(heldVote.site))
  await writeFile(file('recibo.eml'), heldVote.mail)
  await writeFile(file('sellos.json'), heldVote.seals)
  await writeFile(file('falso.json'), heldVote.seals.replace(/"papeletas":2/, '"papeletas":1'))
  await writeFile(file('nada.eml'), 'From: a@b.mx\n\nHola.\n')
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'escrutinio', '--', ...args], {
      encoding: 'utf8',
    })
    return { status, said: stdout + stderr }
  }
  const fits = run(file('acta.json'), '--testigo', file('recibo.eml'), '--testigo', file('sellos.json'))
  expect(fits.said).toContain(`recibo.eml: El recibo ${heldVote.receipt} está en la caja 2, y su voto cuenta.`)
  expect(fits.said).toContain('sellos.json: La caja 1 está en el acta como se publicó: número, votos y sello.')
  expect(fits.status).toBe(0)
  const forged = run(file('acta.json'), '--testigo', file('falso.json'))
  expect([forged.status, forged.said]).toEqual([
    1,
    expect.stringContaining('FALLA: falso.json: La caja 1 se publicó con'),
  ])
  for (const [args, words] of [
    [[file('acta.json'), '--testigo', file('nada.eml')], 'no tiene ningún recibo'],
    [[file('acta.json'), '--testigo', file('otro.eml')], 'No existe el archivo'],
    [[file('recibo.eml')], 'no es un acta de este sitio'],
    [[], 'Uso: npm run escrutinio'],
    [[file('acta.json'), '--otra'], 'Uso: npm run escrutinio'],
  ] as const)
    expect(run(...args)).toEqual({ status: 2, said: expect.stringContaining(words) })
})

// The last test of this file, since no record is left after it.
test('a record that was changed in the database is not shown, and the page says why', async ({ page, heldVote }) => {
  await heldVote.site.sql(`update actas set contenido = '{}' where clase = 'cierre'`)
  await page.goto('/misspopularidad/acta')
  await expect(page.getByRole('heading', { name: 'El acta no se puede leer' })).toBeVisible()
})
