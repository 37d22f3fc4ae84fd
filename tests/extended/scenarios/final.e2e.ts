// Longer than 350 lines: one night from the first link to the published record, each step on what the steps before left.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page, Route } from '@playwright/test'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { expectReadable } from '../../e2e/whole-screen.ts'

const run = promisify(execFile)

const CANDIDATES = [
  'Valeria Bugambilia Olmos',
  'Renata Cempasúchil Nava',
  'Ximena Agave Montaño',
  'Fernanda Jacaranda Luna',
  'Paola Colorín Vega',
]

/** Rounds of the sample, with their criteria. */
const ROUNDS = [
  { nombre: 'Presentación', criterios: ['Presencia', 'Seguridad al hablar'] },
  { nombre: 'Traje típico', criterios: ['Porte', 'Lo que cuenta del traje'] },
  { nombre: 'Traje de gala', criterios: ['Elegancia', 'Pasarela'] },
  { nombre: 'Pregunta del jurado', criterios: ['Claridad', 'Contenido'] },
]

/** Points for a criterion. The last round ties the first two candidates; the others fall by the candidate's number. */
const note = (round: number, judge: number, candidate: number, criterion: number): number => {
  if (round === 3) return candidate < 2 ? 9 : 7
  return Math.max(1, 10 - candidate - ((judge + criterion) % 2))
}

interface JudgePhone {
  context: BrowserContext
  page: Page
}

async function telephone(browser: Browser): Promise<JudgePhone> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  return { context, page: await context.newPage() }
}

async function admission({ page }: JudgePhone, enlace: string): Promise<void> {
  await page.goto(enlace)
  await page.getByRole('button', { name: 'Entrar en este teléfono' }).click()
}

const group = (page: Page, criterion: string, who: string) =>
  page.getByRole('group', { name: new RegExp(`^${criterion}\\s*, ${who}`) })

async function tap(
  page: Page,
  round: number,
  judge: number,
  people: readonly string[],
  solo = ROUNDS[round]!.criterios,
) {
  for (const who of people)
    for (const criterion of solo) {
      const mark = note(round, judge, CANDIDATES.indexOf(who), ROUNDS[round]!.criterios.indexOf(criterion))
      await group(page, criterion, who)
        .getByRole('radio', { name: String(mark), exact: true })
        .check()
    }
}

async function sign(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Enviar y firmar' }).click()
  await page.getByRole('button', { name: 'Sí, firmar y enviar' }).click()
}

const expectSigned = (page: Page) => expect(page.getByText(/^Enviado y firmado a las \d\d:\d\d$/)).toBeVisible()

const inRound = (page: Page, name: string) => expect(page.getByRole('heading', { level: 1, name })).toBeVisible()

/** Names of the candidates, in the order of the sheet. */
const candidatesOnSheet = (page: Page) => page.getByRole('article').getByRole('heading', { level: 2 }).allTextContents()

async function issueJudgeLink(desk: Page, judge: number): Promise<string> {
  const form = desk.getByRole('form', { name: `Jurado ${judge}`, exact: true })
  // Once the night has begun, the telephones stand in a fold.
  if (!(await form.isVisible())) await desk.getByText('El jurado y sus teléfonos').click()
  await form.getByRole('button', { name: /^Hacer (su|otro) enlace$/ }).click()
  await expect(desk.getByText('Enlace hecho.')).toBeVisible()
  return (await desk.locator(`a[data-judge="${judge}"]`).getAttribute('href'))!
}

async function tally(record: string): Promise<{ code: number; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'final-'))
  try {
    const file = join(folder, 'acta-final.json')
    await writeFile(file, record)
    const { stdout, stderr } = await run(process.execPath, ['scripts/escrutinio.ts', file]).catch(
      (error: { stdout: string; stderr: string }) => error,
    )
    return { code: stderr === '' ? 0 : 1, said: stdout + stderr }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('the sample’s whole final: five judges, four rounds, two telephones dying in the middle', async ({
  page: desk,
  browser,
  expectedErrors,
}) => {
  test.setTimeout(900_000)
  // A record that is not public answers 404.
  expectedErrors.push(/404/)
  const site = await Site.start()
  const phones: JudgePhone[] = []
  try {
    const nobody = async (path: string) => (await fetch(site.url + path, { redirect: 'manual' })).status
    const isHidden = async () => {
      expect([await nobody('/final/acta'), await nobody('/final/acta.json')]).toEqual([404, 404])
      expect(await (await fetch(`${site.url}/sitemap.xml`)).text()).not.toMatch(/final|jurado/)
    }
    await isHidden()

    await signIn(desk.context(), site, 'notaria')
    await desk.goto(`${site.url}/organizadores/final`)
    await desk.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    await expect(desk.getByRole('button', { name: 'Abrir la final' })).toBeDisabled()
    await desk.getByRole('textbox', { name: 'Jurado 3' }).fill('Licha Robles')
    await desk.getByRole('button', { name: 'Hacer los 5 enlaces que faltan' }).click()
    await expect(desk.getByText('Enlaces hechos: 5.')).toBeVisible()
    await expect(desk.getByRole('heading', { name: 'Licha Robles' })).toBeVisible()
    await expect(desk.getByText('Ningún juez ha abierto su enlace.')).toBeInViewport()
    const enlaces = await desk
      .locator('a[data-judge]')
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))
    expect(enlaces).toHaveLength(5)
    await expectAccessible(desk)

    for (const [at, enlace] of enlaces.entries()) {
      const one = await telephone(browser)
      phones.push(one)
      if (at === 0) {
        // The site redeems the link, its answer is lost, and the judge loads the page again.
        const loseAnswer = (route: Route) => route.fetch().then(() => route.abort())
        await one.page.route('**/jurado/entrar', loseAnswer, { times: 1 })
        await admission(one, enlace)
        await expect(one.page.getByText(/el enlace sigue sirviendo/)).toBeVisible()
        await one.page.reload()
      }
      await admission(one, enlace)
      await expect(one.page.getByRole('heading', { name: 'Todo listo' })).toBeVisible()
      await expect(one.page).not.toHaveURL(/#/)
    }
    // A forwarded link opens no second telephone.
    const primo = await telephone(browser)
    await admission(primo, enlaces[0]!)
    await expect(primo.page.getByText(/ya se abrió en otro teléfono/)).toBeVisible()
    expect((await primo.context.request.get(`${site.url}/jurado/hoja`)).status()).toBe(401)
    await primo.context.close()

    // Without its tick the button does nothing, and a form without the tick is refused.
    await desk.getByRole('button', { name: 'Abrir la final' }).click()
    const unticked = { hacer: 'abrir' }
    const refusal = await desk.request.post(`${site.url}/organizadores/final`, {
      form: unticked,
      headers: { origin: site.url },
    })
    expect(refusal.status()).toBe(422)
    expect(await refusal.text()).toContain('Marca la casilla que dice qué ya no se podrá cambiar')
    await desk.getByLabel('Entiendo que las reglas y las candidatas quedan selladas').check()
    await desk.getByRole('button', { name: 'Abrir la final' }).click()
    await expect(desk.getByText('La final está abierta')).toBeVisible()

    // The next action of the night stands at the foot of the screen, without scrolling.
    const press = async (name: string | RegExp, timeout = 15_000) => {
      const button = desk.getByRole('button', { name, exact: true })
      await expect(button).toBeInViewport({ ratio: 1, timeout })
      await button.click()
    }
    const opens = async (number: number) => {
      await press(new RegExp(`^Abrir la ronda ${number}:`))
      await expect(desk.getByText('Ronda abierta:')).toBeVisible()
    }
    const closes = async () => {
      await press('Cerrar la ronda', 20_000)
      await expect(desk.getByText('Ronda cerrada.')).toBeVisible()
    }

    // Round 1: everything goes well.
    await opens(1)
    for (const [at, { page }] of phones.entries()) {
      await inRound(page, ROUNDS[0]!.nombre)
      expect(await candidatesOnSheet(page)).toEqual(CANDIDATES)
      await tap(page, 0, at, CANDIDATES)
      if (at === 0) {
        const small = await page
          .locator('label:has(input[type=radio])')
          .evaluateAll(
            (all) =>
              all.filter((one) => one.getBoundingClientRect().height < 48 || one.getBoundingClientRect().width < 48)
                .length,
          )
        expect(small).toBe(0)
        await expectAccessible(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
        await expect(desk.getByText('Lleva 5 de 5')).toBeVisible()
        await expectAccessible(desk)
        await expectReadable(desk, { mayBreakWords: true })
        await desk.setViewportSize({ width: 1440, height: 900 })
        await desk.evaluate(() => document.documentElement.style.removeProperty('font-size'))
      }
      await sign(page)
      await expectSigned(page)
      // The judging table shows no points while the round is open.
      await expect(desk.getByText(`${at + 1} de 5 hojas firmadas`)).toBeVisible()
    }
    await expect(desk.getByText(/\d\.\d{3}/)).toHaveCount(0)
    await expect(desk.getByRole('table')).toHaveCount(0)
    await expect(desk.getByText('Ya firmaron todos: puedes cerrar la ronda.')).toBeVisible()
    await closes()

    // A stranger with a judge's telephone tries a sheet of a closed round, an unknown candidate, the panel and the record.
    const sendLate = (sending: object) =>
      phones[0]!.context.request.post(`${site.url}/jurado/hoja`, { form: { envio: JSON.stringify(sending) } })
    const scores = Object.fromEntries(
      (
        await site.sql<{ id: string }>(
          `select jsonb_array_elements(contenido::jsonb -> 'candidatas') ->> 'id' as id from asientos_de_final where numero = 1`,
        )
      ).map(({ id }) => [id, [100, 100]]),
    )
    const late = { hacer: 'firmar', final: 1, ronda: 1, clave: randomUUID() }
    expect((await sendLate({ ...late, calificaciones: scores })).status()).toBe(409)
    expect((await sendLate({ ...late, calificaciones: { nadie: [100, 100] } })).status()).toBe(409)
    expect((await sendLate({ ...late, calificaciones: 'todo' })).status()).toBe(422)
    expect((await sendLate({ hacer: 'guardar', final: 1, ronda: 1, toques: [] })).status()).toBe(409)
    for (const [path, status] of [
      ['/organizadores/exportar?formato=csv', 403],
      ['/descargas/senorita-azahares-2025-candidatas-grupo.png', 403],
      ['/final/acta.json', 404],
    ] as const)
      expect((await phones[0]!.context.request.get(site.url + path)).status(), path).toBe(status)
    const door = await (await phones[0]!.context.request.get(`${site.url}/organizadores/final`)).text()
    expect(door).not.toContain('hojas firmadas')

    // Round 2: a telephone dies with a score that was not sent.
    await opens(2)
    for (const [at, { page }] of phones.entries()) {
      await inRound(page, ROUNDS[1]!.nombre)
      if (at === 1) continue
      await tap(page, 1, at, CANDIDATES)
      await sign(page)
      await expectSigned(page)
    }
    const [, second] = phones as [JudgePhone, JudgePhone]
    await tap(second.page, 1, 1, CANDIDATES.slice(0, 3))
    await expect(second.page.getByText('Guardado en este teléfono y en el sitio')).toBeVisible()
    await second.context.setOffline(true)
    await tap(second.page, 1, 1, CANDIDATES.slice(3, 4))
    await expect(second.page.getByText('Guardado en este teléfono', { exact: true })).toBeVisible()
    await expect(second.page.getByText('Sin señal', { exact: true })).toBeVisible()
    await second.context.close()
    const otherSecond = await telephone(browser)
    phones[1] = otherSecond
    await admission(otherSecond, await issueJudgeLink(desk, 2))
    await inRound(otherSecond.page, ROUNDS[1]!.nombre)
    await expect(otherSecond.page.getByText('3 de 5', { exact: true })).toBeVisible()
    await tap(otherSecond.page, 1, 1, CANDIDATES.slice(3))
    await sign(otherSecond.page)
    await expectSigned(otherSecond.page)
    await closes()
    await expect(desk.getByText('Sigue: Traje de gala')).toBeVisible()

    // Round 3: a telephone signs offline and never connects; it was reloaded offline, too.
    await opens(3)
    const remaining = CANDIDATES.slice(0, 4)
    for (const [at, { page }] of phones.entries()) {
      await inRound(page, ROUNDS[2]!.nombre)
      expect(await candidatesOnSheet(page)).toEqual(remaining)
      if (at === 3) continue
      await tap(page, 2, at, remaining)
      await sign(page)
      await expectSigned(page)
    }
    const fourth = phones[3]!
    await tap(fourth.page, 2, 3, remaining.slice(0, 2))
    await expect(fourth.page.getByText('Guardado en este teléfono y en el sitio')).toBeVisible()
    await fourth.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await expect.poll(() => fourth.page.evaluate(async () => Boolean(await caches.match('/jurado')))).toBe(true)
    await fourth.context.setOffline(true)
    await fourth.page.reload()
    await inRound(fourth.page, ROUNDS[2]!.nombre)
    await tap(fourth.page, 2, 3, remaining.slice(2))
    await sign(fourth.page)
    await expect(fourth.page.getByText(/Se envía sola en cuanto vuelva la señal/)).toBeVisible()
    const otherFourth = await telephone(browser)
    phones[3] = otherFourth
    await admission(otherFourth, await issueJudgeLink(desk, 4))
    await inRound(otherFourth.page, ROUNDS[2]!.nombre)
    await expect(otherFourth.page.getByText('2 de 4', { exact: true })).toBeVisible()
    // The dead telephone comes back: its link has been replaced.
    await fourth.context.setOffline(false)
    await expect(fourth.page.getByRole('heading', { name: 'Hoja cerrada' })).toBeVisible()
    await fourth.context.close()
    await tap(otherFourth.page, 2, 3, remaining.slice(2))
    await sign(otherFourth.page)
    await expectSigned(otherFourth.page)

    // A slip: one judge's sheet is opened again, with a reason.
    const row = desk.getByRole('listitem').filter({ hasText: 'Jurado 5' }).filter({ hasText: 'Firmó' })
    await row.getByText('Reabrir su hoja').click()
    await row.getByLabel('Por qué se reabre').fill('Se equivocó de renglón')
    await row.getByRole('button', { name: 'Reabrir la hoja de Jurado 5' }).click()
    await expect(desk.getByText('La hoja quedó reabierta')).toBeVisible()
    const fifth = phones[4]!.page
    await expect(fifth.getByText(/La notaría reabrió tu hoja: Se equivocó de renglón/)).toBeVisible()
    await sign(fifth)
    await expectSigned(fifth)
    await closes()

    // Round 4: a tie for the first place, which the written rule settles.
    await opens(4)
    const ultimas = CANDIDATES.slice(0, 3)
    for (const [at, { page }] of phones.entries()) {
      await inRound(page, ROUNDS[3]!.nombre)
      expect(await candidatesOnSheet(page)).toEqual(ultimas)
      await tap(page, 3, at, ultimas)
      await sign(page)
      await expectSigned(page)
    }
    await closes()
    // The tie stands under the table and once more above the seal.
    await expect(
      desk.getByText(
        `${CANDIDATES[0]} y ${CANDIDATES[1]} empatan con 27 puntos. Va antes ${CANDIDATES[0]}: en la ronda «Traje de gala»`,
      ),
    ).toHaveCount(2)
    await isHidden()

    await desk.getByLabel('Entiendo que sellar no se puede deshacer').check()
    await press('Sellar el acta')
    await expect(desk.getByText('El acta está sellada.')).toBeVisible()
    await expect(desk.getByText(/^Acta sellada el/)).toBeVisible()
    // The judges' evening is over.
    await expect(phones[0]!.page.getByRole('heading', { name: 'Hoja cerrada' })).toBeVisible()
    await isHidden()

    // The record fits one page of paper.
    await desk.emulateMedia({ media: 'print' })
    const pdf = await desk.pdf({ format: 'Letter' })
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)).toHaveLength(1)
    await desk.emulateMedia({ media: null })

    const record = await (await desk.context().request.get(`${site.url}/final/acta.json`)).text()
    const counted = await tally(record)
    expect(counted.said).toContain('Todo coincide: sellos, hojas, descartes, sumas, empates y orden.')
    expect(counted.said).toMatch(/1\. Valeria Bugambilia Olmos\s+27\.000 {2}Señorita Azahares/)
    expect(counted.code).toBe(0)
    const tampered = await tally(record.replace('"total":27000}', '"total":27500}'))
    expect(tampered.code).toBe(1)
    expect(tampered.said).toContain('el acta da a Valeria Bugambilia Olmos 27.500 puntos, y las hojas dan 27.000.')
    expect(tampered.said).toContain('se cambió después de sellarse')

    await expect(desk.getByRole('button', { name: 'Hacer público' })).toBeInViewport()
    await desk.getByLabel('Ya se dijo en la plaza').check()
    await desk.getByRole('button', { name: 'Hacer público' }).click()
    await expect(desk.getByText('El acta ya es pública')).toBeVisible()
    expect([await nobody('/final/acta'), await nobody('/final/acta.json')]).toEqual([200, 200])
    await desk.goto(`${site.url}/final/acta`)
    await expect(desk.getByRole('heading', { name: 'Acta de la final' })).toBeVisible()
    await expectAccessible(desk)
    await desk.emulateMedia({ media: 'print' })
    await expect(
      desk.getByRole('img', { name: `Cuadro que lleva a ${site.url}/final/acta?edicion=2025` }),
    ).toBeVisible()
  } finally {
    await desk.goto('about:blank')
    for (const { context } of phones) await context.close().catch(() => {})
    await site.stop()
  }
})
