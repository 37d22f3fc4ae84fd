// Longer than 350 lines: the whole handbook, followed from its first step to its last.
import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { readFinalRecord } from '#app/finals/record/data.server.ts'
import { signSheet } from '#app/finals/record/mutations.server.ts'
import { activeCandidateIds, openRoundOf } from '#app/finals/record/state.ts'
import { parseHandbook } from '#app/panel/editor/handbook/parse-handbook.ts'
import { expectAccessible } from '../../e2e/accessible.ts'
import { servicesOn, signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

/** This walk takes the handbook's pictures from the real screens. Only `FOTOS_DEL_MANUAL=si` writes the files. */
const WRITES = process.env.FOTOS_DEL_MANUAL === 'si'
const FOLDER = 'docs/manual'
const MAX_BYTES = 60 * 1024
const WIDTH = 640

test.use({
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  actionTimeout: 30_000,
  reducedMotion: 'reduce',
})

const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 80"><circle cx="40" cy="40" r="30" fill="#e8b04a"/><path d="M90 26h120v10H90zm0 20h90v10H90z" fill="#f7f0e6"/></svg>'

/** Collects the text and the accessible names of the screens along the way. */
class HandbookTour {
  readonly said: string[] = []
  readonly pictures = new Set<string>()
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  async read(): Promise<void> {
    this.said.push(
      await this.page.evaluate(() =>
        [document.body, ...document.querySelectorAll('[aria-label]')]
          .map((one) => one.getAttribute('aria-label') ?? one.textContent)
          .join(' ')
          .replace(/\s+/g, ' '),
      ),
    )
  }

  async open(path: string): Promise<void> {
    await this.page.goto(path)
    await this.page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    await this.read()
  }

  /** Takes a picture of the screen with the element near its upper end. */
  async takePicture(name: string, what: Locator): Promise<void> {
    await this.read()
    this.pictures.add(`${name}.jpg`)
    if (!WRITES) return
    await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await what.evaluate((element) => {
      const top = element.getBoundingClientRect().top + window.scrollY
      window.scrollTo({ top: Math.max(0, top - 190), behavior: 'instant' })
    })
    await this.page.evaluate(() => document.fonts.ready)
    await expect
      .poll(() =>
        this.page.evaluate(() => [...document.images].every(({ complete, loading }) => complete || loading === 'lazy')),
      )
      .toBe(true)
    const taken = await this.page.screenshot({ animations: 'disabled' })
    await writeFile(
      `${FOLDER}/${name}.jpg`,
      await sharp(taken).resize(WIDTH).jpeg({ quality: 60, mozjpeg: true }).toBuffer(),
    )
  }
}

/** A final of one round, on the judging table's screen and a judge's telephone. */
async function playFinalNight(site: Site, desk: HandbookTour, jury: HandbookTour): Promise<void> {
  const { page } = desk
  const done = (words: string) => expect(page.getByText(words)).toBeVisible()
  await desk.open(`${site.url}/organizadores/sitio/final`)
  await desk.open(`${site.url}/organizadores/final`)
  await page.getByRole('button', { name: 'Hacer los 5 enlaces que faltan' }).click()
  await done('Enlaces hechos: 5.')
  await jury.open((await page.locator('a[data-judge="1"]').getAttribute('href'))!)
  await jury.page.getByRole('button', { name: 'Entrar en este teléfono' }).click()
  await page.getByLabel('Entiendo que las reglas y las candidatas quedan selladas').check()
  await page.getByRole('button', { name: 'Abrir la final' }).click()
  await expect(page.getByRole('button', { name: 'Abrir la ronda 1:' })).toBeVisible()
  await desk.read()
  const sheet = async (round: number) =>
    servicesOn(site, async (services) => {
      const { final } = (await readFinalRecord(services, 2025)).state
      return Object.fromEntries(
        activeCandidateIds(final!, openRoundOf(final!)!).map((id, at) => [
          id,
          [round * 10 + 50 - at, 80].map((mark) => mark - (mark % 10)),
        ]),
      )
    })
  for (const round of [1, 2, 3, 4]) {
    await page.getByRole('button', { name: `Abrir la ronda ${round}:` }).click()
    await expect(page.getByText('0 de 5 hojas firmadas')).toBeVisible()
    if (round === 1) {
      await expect(jury.page.getByRole('heading', { level: 1, name: 'Presentación' })).toBeVisible()
      for (const eight of await jury.page.getByRole('radio', { name: '8', exact: true }).all()) await eight.check()
      await expect(jury.page.getByText('Guardado en este teléfono y en el sitio')).toBeVisible()
      await jury.takePicture('jurado', jury.page.getByRole('heading', { level: 1 }))
    }
    const marks = await sheet(round)
    for (const judge of [1, 2, 3, 4, 5]) {
      await servicesOn(site, (services) =>
        signSheet(
          services,
          { edition: 2025, roundNumber: round, judgeNumber: judge, idempotencyKey: randomUUID() },
          marks,
          {
            quien: null,
            desde: 'terminal',
          },
        ),
      )
      if (round > 1 || judge !== 3) continue
      await expect(page.getByText('3 de 5 hojas firmadas')).toBeVisible()
      await desk.takePicture('final', page.getByRole('heading', { level: 2 }).first())
    }
    await page.getByRole('button', { name: 'Cerrar la ronda', exact: true }).click()
    await expect(page.getByRole('button', { name: /^(Abrir la ronda|Sellar el acta)/ })).toBeVisible()
    await desk.read()
  }
  await page.getByLabel('Entiendo que sellar no se puede deshacer').check()
  await page.getByRole('button', { name: 'Sellar el acta' }).click()
  await expect(page.getByRole('button', { name: 'Imprimir el orden' })).toBeVisible()
  await desk.read()
}

test('every term of the handbook is found on the screens along its way, and the pictures are there', async ({
  page,
  browser,
  expectedErrors,
}) => {
  // The question for the password answers 401.
  expectedErrors.push(/status of 401/)
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' })
  const editorUrl = (path: string) => `${site.url}/organizadores/sitio${path}`
  const tour = new HandbookTour(page)
  const stored = () => expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()
  try {
    await signIn(page.context(), site, 'admin')
    await tour.open(editorUrl(''))

    const [id] = await sow(site, [
      { titular: 'Lucía Magnolia Serrano', correo: 'lucia@ejemplo.mx' },
      { titular: 'Abril Mezquite Ríos', celular: '33 7654 3210' },
    ])
    await tour.open(`${site.url}/organizadores?buscar=magnolia`)
    await page.getByLabel('Elegir todas', { exact: true }).check()
    await page.getByText('Varias a la vez', { exact: true }).click()
    await tour.read()
    await tour.open(`${site.url}/organizadores/inscripciones/${id}`)
    // On a phone the form is folded.
    await page.getByRole('button', { name: /^Decidir/ }).click()
    await page.getByLabel('Pasa a').selectOption('aceptada')
    await page.getByRole('button', { name: 'Guardar decisión' }).click()
    await expect(page.getByRole('link', { name: 'Avisarle por correo' })).toBeVisible()
    await tour.read()
    await page.getByRole('link', { name: 'Avisarle por correo' }).click()
    await expect(page.frameLocator('iframe').getByRole('heading', { level: 1 })).toBeVisible()
    await tour.takePicture('aviso', page.getByRole('heading', { level: 1 }))
    await page.getByRole('button', { name: 'Mandarle el correo' }).click()
    await expect(page.getByText('Quedó guardado y no le llega a nadie')).toBeVisible()

    await page.goto(`${site.url}/organizadores/inscripciones/${id}`)
    await page.getByRole('link', { name: 'Darle una cita' }).click()
    await page.getByLabel('Día').fill('2025-10-04')
    await page.getByLabel('Hora').fill('11:00')
    await page.getByLabel('Lugar').fill('Casa de la Cultura')
    await page.getByRole('button', { name: 'Ver cómo llega' }).click()
    await page.getByRole('button', { name: 'Mandar el mensaje' }).click()
    await expect(page.getByRole('heading', { level: 1, name: /^Tu cita con/ })).toBeVisible()
    await tour.open(`${site.url}/organizadores/inscripciones/${id}`)

    await tour.open(`${site.url}/organizadores/mensajes`)
    await page.getByRole('link', { name: 'Escribir a varias personas' }).click()
    await page.getByLabel('Elegir todas', { exact: true }).check()
    await page.getByRole('button', { name: 'Escribirles un mensaje' }).click()
    await expect(page.getByRole('button', { name: 'su nombre de pila' })).toBeVisible()
    await tour.read()

    const jury = new HandbookTour(await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage())
    await playFinalNight(site, tour, jury)
    for (const photo of jury.pictures) tour.pictures.add(photo)
    tour.said.push(...jury.said)
    await jury.page.context().close()

    await tour.open(editorUrl('/historia'))
    await page.getByLabel('Estudios').fill('Ingeniería Civil')
    await stored()
    await tour.takePicture('palabra', page.getByLabel('Estudios'))

    await tour.open(editorUrl('/portada?campo=inicio.galeria.0'))
    const photograph = page.locator('[data-field-key="inicio.galeria.0"]')
    await expect(photograph.getByRole('button', { name: /^Punto que siempre se ve/ })).toBeVisible()
    await tour.takePicture('foto', photograph)
    const news = page.getByRole('region', { name: /^Noticias/ })
    await news.getByRole('button', { name: 'Agregar noticia' }).click()
    const newsItem = news.getByRole('listitem').last()
    await newsItem.getByLabel('Título', { exact: true }).fill('Llegó el carrusel')
    await newsItem.getByLabel('Texto', { exact: true }).fill('Desde hoy da vueltas en la plaza.')
    await stored()
    await tour.takePicture('noticia', newsItem)
    await news.getByRole('button', { name: /^Quitar Llegó/ }).click()
    await tour.read()
    await stored()

    await tour.open(`${site.url}/convocatoria`)
    await tour.open(editorUrl('/convocatorias'))
    const calls = page.locator('#formulario').getByRole('region', { name: /^Convocatorias/ })
    await calls.getByRole('button', { expanded: false }).nth(1).click()
    await tour.read()

    await tour.open(editorUrl('/patrocinadores'))
    const sponsors = page.getByRole('region', { name: /^Patrocinadores/ })
    await sponsors.getByRole('button', { name: 'Agregar patrocinador' }).click()
    const sponsor = sponsors.getByRole('listitem').last()
    await tour.read()
    await sponsor.getByLabel('Nombre', { exact: true }).fill('Nopalitos del Valle')
    await sponsor.getByLabel('Su página', { exact: true }).fill('https://www.facebook.com/nopalitos')
    await sponsor
      .locator('input[type="file"]')
      .setInputFiles({ name: 'Nopalitos.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(MARK) })
    await expect(sponsor.getByRole('img', { name: /^Logotipo que está puesto/ })).toBeVisible()
    await stored()
    await tour.takePicture('patrocinador', sponsor)

    await tour.open(editorUrl('/programa'))
    const days = page.getByRole('region', { name: /^Los días|^Días/ })
    await days.getByRole('button', { expanded: false }).first().click()
    const events = page.getByRole('region', { name: /^Eventos/ })
    await events.getByRole('button', { expanded: false }).first().click()
    await tour.takePicture('programa', events.getByRole('listitem').first())
    await tour.open(editorUrl('/certamen'))

    await tour.open(editorUrl('/ver'))
    await tour.takePicture('ver', page.getByRole('heading', { level: 1 }))
    await page.getByRole('button', { name: 'Ver el sitio así' }).click()
    await expect(page.getByRole('complementary', { name: 'Vista previa' })).toBeVisible()
    await tour.open(editorUrl('/ver'))
    await page.getByRole('button', { name: 'Salir de la vista previa' }).click()
    await expect(page).toHaveURL(/\/organizadores\/sitio$/)

    await tour.open(editorUrl('/publicar'))
    await tour.takePicture('publicar', page.getByRole('heading', { level: 1 }))
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\./)).toBeVisible()
    await tour.read()

    await tour.open(editorUrl('/candidatas'))
    await page.getByRole('button', { name: 'Agregar candidata' }).click()
    const candidate = page
      .locator('#formulario')
      .getByRole('listitem')
      .filter({ has: page.getByLabel('Signo') })
    await candidate.getByLabel('Nombre completo', { exact: true }).fill('Guadalupe Nopal Rentería')
    await candidate.getByLabel('Edad', { exact: true }).fill('21')
    await candidate.getByLabel('De dónde es', { exact: true }).fill('La Ceja')
    await stored()
    await tour.takePicture('candidata', candidate)
    await tour.open(editorUrl('/publicar'))

    await tour.open(editorUrl('/publicaciones'))
    await page.getByRole('link', { name: 'Ver qué cambiaría' }).last().click()
    await expect(page.getByRole('button', { name: /^Regresar a la número/ }).last()).toBeVisible()
    await tour.takePicture('regresar', page.getByRole('heading', { level: 1 }))

    await tour.open(editorUrl('/retirar'))
    await page.getByText('Retirar a Valeria').click()
    await tour.takePicture('retirar', page.getByRole('heading', { level: 1 }))
    await site.sql(`update sessions set confirmada_at = now() - interval '1 hour'`)
    await page.getByText('Entiendo que todo lo de Valeria').click()
    await page.getByRole('button', { name: 'Retirar', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Confirma que eres tú' })).toBeVisible()
    await tour.read()

    await tour.open(editorUrl('/ediciones'))
    await page.getByRole('button', { name: 'Preparar 2026' }).click()
    await expect(page.getByRole('heading', { name: 'Abrir la edición 2026' })).toBeVisible()
    await tour.takePicture('ano', page.getByRole('heading', { level: 1 }))
    await tour.read()
    await page.getByRole('button', { name: 'Editar la 2025' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'El sitio' })).toBeVisible()
    await tour.open(editorUrl('/ediciones'))

    await tour.open(`${site.url}/organizadores`)
    await site.sql(`insert into profiles (id, name, email, role) values ('ayuda', '', 'ayuda@comite.example', 'sitio')`)
    await tour.open(`${site.url}/organizadores/personas`)
    await tour.open(`${site.url}/organizadores/visitas`)

    const text = await readFile('docs/manual-del-comite.md', 'utf8')
    const statement = tour.said.join(' ')
    const quoted = [...new Set([...text.matchAll(/«([^»]+)»/g)].map(([, words]) => words!))]
    expect(quoted.filter((words) => !statement.includes(words))).toEqual([])
    const shown = parseHandbook(text).flatMap((block) => (block.kind === 'picture' ? [block.fileName] : []))
    expect(shown.toSorted()).toEqual([...tour.pictures].sort())
    expect((await readdir(FOLDER)).sort()).toEqual(shown.toSorted())
    for (const name of shown) expect((await stat(`${FOLDER}/${name}`)).size, name).toBeLessThan(MAX_BYTES)
  } finally {
    await page.goto('about:blank')
    await site.stop()
  }
})

test('each screen of «El sitio» leads to its section of the handbook, which can be read at any width', async ({
  page,
  site,
}, info) => {
  await signIn(page.context(), site, 'admin')
  for (const [path, section] of [
    ['', 'manual-del-comite'],
    ['/publicar', 'publicar'],
    ['/publicaciones', 'regresar'],
    ['/ver', 'ver-el-sitio-antes-de-publicar'],
    ['/ediciones', 'preparar-y-abrir-el-ano-que-viene'],
    ['/retirar', 'retirar-a-una-candidata'],
    ['/historia', 'cambiar-una-palabra'],
    ['/patrocinadores', 'agregar-un-patrocinador'],
    ['/final', 'la-noche-de-la-final'],
  ]) {
    await page.goto(`/organizadores/sitio${path}`)
    await expect(page.getByRole('link', { name: '¿Cómo se hace?' })).toHaveAttribute(
      'href',
      `/organizadores/sitio/manual#${section}`,
    )
  }
  await page.goto('/organizadores/sitio/manual#publicar')
  await expect(page.getByRole('heading', { level: 2, name: 'Publicar', exact: true })).toBeInViewport()
  // On a phone the other sections are closed, and a link to one opens it.
  const section = page.locator('details', { has: page.getByRole('heading', { name: 'Agregar una noticia' }) })
  await expect(section).not.toHaveAttribute('open')
  await page.getByRole('navigation', { name: 'Qué quieres hacer' }).getByText('Agregar una noticia').click()
  await expect(section).toHaveAttribute('open')
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '')
  })
  for (const image of await page.getByRole('article').getByRole('img').all()) {
    await image.scrollIntoViewIfNeeded()
    await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(WIDTH)
  }
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }))
    await page.screenshot({ path: info.outputPath(`manual-${width}.png`) })
  }
})
