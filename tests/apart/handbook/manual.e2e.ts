import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { readActa } from '#app/finals/record/data.server.ts'
import { firmarHoja } from '#app/finals/record/mutations.server.ts'
import { activas, rondaAbierta } from '#app/finals/record/state.ts'
import { leerManual } from '#app/panel/editor/handbook/markdown.ts'
import { expectAccessible } from '../../e2e/accessible.ts'
import { servicesOn, signIn } from '../../e2e/cuentas.ts'
import { sow } from '../../e2e/siembra.ts'
import { expect, Site, test } from '../../e2e/site.ts'

/**
 * The handbook's pictures are taken from the real screens by this walk. Each run walks; `FOTOS_DEL_MANUAL=si` also writes
 * the pictures anew.
 */
const WRITES = process.env.FOTOS_DEL_MANUAL === 'si'
const CARPETA = 'docs/manual'
const MAX_BYTES = 60 * 1024
const ANCHO = 640

test.use({
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  actionTimeout: 30_000,
  reducedMotion: 'reduce',
})

const MARCA =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 80"><circle cx="40" cy="40" r="30" fill="#e8b04a"/><path d="M90 26h120v10H90zm0 20h90v10H90z" fill="#f7f0e6"/></svg>'

/** What the screens have said along the way: their text, and the names of what is named otherwise. */
class Camino {
  readonly dicho: string[] = []
  readonly fotos = new Set<string>()
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  async leer(): Promise<void> {
    this.dicho.push(
      await this.page.evaluate(() =>
        [document.body, ...document.querySelectorAll('[aria-label]')]
          .map((one) => one.getAttribute('aria-label') ?? one.textContent)
          .join(' ')
          .replace(/\s+/g, ' '),
      ),
    )
  }

  async abre(path: string): Promise<void> {
    await this.page.goto(path)
    await this.page.locator('html[data-despierta]').waitFor({ state: 'attached' })
    await this.leer()
  }

  /** Takes the picture of a name, with this at its upper end. */
  async foto(nombre: string, what: Locator): Promise<void> {
    await this.leer()
    this.fotos.add(`${nombre}.jpg`)
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
      `${CARPETA}/${nombre}.jpg`,
      await sharp(taken).resize(ANCHO).jpeg({ quality: 60, mozjpeg: true }).toBuffer(),
    )
  }
}

/** A night of one round: what the table and a judge's telephone say along it. */
async function nocheDeLaFinal(site: Site, mesa: Camino, jurado: Camino): Promise<void> {
  const { page } = mesa
  const done = (words: string) => expect(page.getByText(words)).toBeVisible()
  await mesa.abre(`${site.url}/organizadores/sitio/final`)
  await mesa.abre(`${site.url}/organizadores/final`)
  await page.getByRole('button', { name: 'Hacer los 5 enlaces que faltan' }).click()
  await done('Enlaces hechos: 5.')
  await jurado.abre((await page.locator('a[data-juez="1"]').getAttribute('href'))!)
  await jurado.page.getByRole('button', { name: 'Entrar en este teléfono' }).click()
  await page.getByRole('button', { name: 'Abrir la final' }).click()
  await expect(page.getByRole('button', { name: 'Abrir la ronda 1:' })).toBeVisible()
  await mesa.leer()
  const sheet = async (ronda: number) =>
    servicesOn(site, async (services) => {
      const { final } = (await readActa(services, 2025)).estado
      return Object.fromEntries(
        activas(final!, rondaAbierta(final!)!).map((id, at) => [
          id,
          [ronda * 10 + 50 - at, 80].map((mark) => mark - (mark % 10)),
        ]),
      )
    })
  for (const ronda of [1, 2, 3, 4]) {
    await page.getByRole('button', { name: `Abrir la ronda ${ronda}:` }).click()
    await expect(page.getByText('0 de 5 hojas firmadas')).toBeVisible()
    if (ronda === 1) {
      await expect(jurado.page.getByRole('heading', { level: 1, name: 'Presentación' })).toBeVisible()
      for (const eight of await jurado.page.getByRole('radio', { name: '8', exact: true }).all()) await eight.check()
      await expect(jurado.page.getByText('Guardado en este teléfono y en el sitio')).toBeVisible()
      await jurado.foto('jurado', jurado.page.getByRole('heading', { level: 1 }))
    }
    const marks = await sheet(ronda)
    for (const juez of [1, 2, 3, 4, 5]) {
      await servicesOn(site, (services) =>
        firmarHoja(services, { edicion: 2025, ronda, juez, clave: randomUUID() }, marks, {
          quien: null,
          desde: 'terminal',
        }),
      )
      if (ronda > 1 || juez !== 3) continue
      await expect(page.getByText('3 de 5 hojas firmadas')).toBeVisible({ timeout: 15_000 })
      await mesa.foto('final', page.getByRole('heading', { level: 2 }).first())
    }
    await page.getByRole('button', { name: 'Cerrar la ronda', exact: true }).click({ timeout: 15_000 })
    await expect(page.getByRole('button', { name: /^(Abrir la ronda|Sellar el acta)/ })).toBeVisible()
    await mesa.leer()
  }
  await page.getByRole('button', { name: 'Sellar el acta' }).click()
  await expect(page.getByRole('button', { name: 'Imprimir el orden' })).toBeVisible()
  await mesa.leer()
}

test('whoever follows the handbook finds each of its words on the screens, and its pictures are there', async ({
  page,
  browser,
  expectedErrors,
}) => {
  test.setTimeout(300_000)
  // The question for the password is asked so.
  expectedErrors.push(/status of 401/)
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' })
  const en = (path: string) => `${site.url}/organizadores/sitio${path}`
  const camino = new Camino(page)
  const guardado = () => expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()
  try {
    await signIn(page.context(), site, 'admin')
    await camino.abre(en(''))

    const [id] = await sow(site, [
      { titular: 'Lucía Magnolia Serrano', correo: 'lucia@ejemplo.mx' },
      { titular: 'Abril Mezquite Ríos', celular: '33 7654 3210' },
    ])
    await camino.abre(`${site.url}/organizadores?buscar=magnolia`)
    await page.getByText('Varias a la vez', { exact: true }).click()
    await camino.leer()
    await camino.abre(`${site.url}/organizadores/inscripciones/${id}`)
    // On a phone it is folded.
    await page.getByRole('button', { name: /^Decidir/ }).click()
    await page.getByLabel('Pasa a').selectOption('aceptada')
    await page.getByRole('button', { name: 'Guardar decisión' }).click()
    await expect(page.getByRole('link', { name: 'Avisarle por correo' })).toBeVisible()
    await camino.leer()
    await page.getByRole('link', { name: 'Avisarle por correo' }).click()
    await expect(page.frameLocator('iframe').getByRole('heading', { level: 1 })).toBeVisible()
    await camino.foto('aviso', page.getByRole('heading', { level: 1 }))
    await page.getByRole('button', { name: 'Mandarle el correo' }).click()
    await expect(page.getByText('Quedó guardado y no le llega a nadie')).toBeVisible()

    const jurado = new Camino(await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage())
    await nocheDeLaFinal(site, camino, jurado)
    for (const foto of jurado.fotos) camino.fotos.add(foto)
    camino.dicho.push(...jurado.dicho)
    await jurado.page.context().close()

    await camino.abre(en('/historia'))
    await page.getByLabel('Estudios').fill('Ingeniería Civil')
    await guardado()
    await camino.foto('palabra', page.getByLabel('Estudios'))

    await camino.abre(en('/portada'))
    const fotografia = page.locator('[data-clave="inicio.galeria.0"]')
    await expect(fotografia.getByRole('button', { name: /^Punto que siempre se ve/ })).toBeVisible()
    await camino.foto('foto', fotografia)
    const noticias = page.getByRole('region', { name: /^Noticias/ })
    await noticias.getByRole('button', { name: 'Agregar noticia' }).click()
    const noticia = noticias.getByRole('listitem').last()
    await noticia.getByLabel('Título', { exact: true }).fill('Llegó el carrusel')
    await noticia.getByLabel('Texto', { exact: true }).fill('Desde hoy da vueltas en la plaza.')
    await guardado()
    await camino.foto('noticia', noticia)
    await noticias.getByRole('button', { name: /^Quitar Llegó/ }).click()
    await camino.leer()
    await guardado()

    await camino.abre(en('/patrocinadores'))
    const patrocinadores = page.getByRole('region', { name: /^Patrocinadores/ })
    await patrocinadores.getByRole('button', { name: 'Agregar patrocinador' }).click()
    const patrocinador = patrocinadores.getByRole('listitem').last()
    await camino.leer()
    await patrocinador.getByLabel('Nombre', { exact: true }).fill('Nopalitos del Valle')
    await patrocinador.getByLabel('Su página', { exact: true }).fill('https://www.facebook.com/nopalitos')
    await patrocinador
      .locator('input[type="file"]')
      .setInputFiles({ name: 'Nopalitos.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(MARCA) })
    await expect(patrocinador.getByRole('img', { name: /^Logotipo que está puesto/ })).toBeVisible()
    await guardado()
    await camino.foto('patrocinador', patrocinador)

    await camino.abre(en('/programa'))
    const dias = page.getByRole('region', { name: /^Los días|^Días/ })
    await dias.getByRole('button', { expanded: false }).first().click()
    const eventos = page.getByRole('region', { name: /^Eventos/ })
    await eventos.getByRole('button', { expanded: false }).first().click()
    await camino.foto('programa', eventos.getByRole('listitem').first())

    await camino.abre(en('/ver'))
    await camino.foto('ver', page.getByRole('heading', { level: 1 }))
    await page.getByRole('button', { name: 'Ver el sitio así' }).click()
    await expect(page.getByRole('complementary', { name: 'Vista previa' })).toBeVisible()
    await camino.abre(en('/ver'))
    await page.getByRole('button', { name: 'Salir de la vista previa' }).click()
    await expect(page).toHaveURL(/\/organizadores\/sitio$/)

    await camino.abre(en('/publicar'))
    await camino.foto('publicar', page.getByRole('heading', { level: 1 }))
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\./)).toBeVisible({ timeout: 30_000 })
    await camino.leer()

    await camino.abre(en('/candidatas'))
    await page.getByRole('button', { name: 'Agregar candidata' }).click()
    const candidata = page
      .locator('#formulario')
      .getByRole('listitem')
      .filter({ has: page.getByLabel('Signo') })
    await candidata.getByLabel('Nombre completo', { exact: true }).fill('Guadalupe Nopal Rentería')
    await candidata.getByLabel('Edad', { exact: true }).fill('21')
    await candidata.getByLabel('De dónde es', { exact: true }).fill('La Ceja')
    await guardado()
    await camino.foto('candidata', candidata)
    await camino.abre(en('/publicar'))

    await camino.abre(en('/publicaciones'))
    await page.getByRole('link', { name: 'Ver qué cambiaría' }).last().click()
    await expect(page.getByRole('button', { name: /^Regresar a la número/ }).last()).toBeVisible()
    await camino.foto('regresar', page.getByRole('heading', { level: 1 }))

    await camino.abre(en('/retirar'))
    await page.getByText('Retirar a Valeria').click()
    await camino.foto('retirar', page.getByRole('heading', { level: 1 }))
    await site.sql(`update sessions set confirmada_at = now() - interval '1 hour'`)
    await page.getByText('Entiendo que todo lo de Valeria').click()
    await page.getByRole('button', { name: 'Retirar', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Confirma que eres tú' })).toBeVisible()
    await camino.leer()

    await camino.abre(en('/ediciones'))
    await page.getByRole('button', { name: 'Preparar 2026' }).click()
    await expect(page.getByRole('heading', { name: 'Abrir la edición 2026' })).toBeVisible()
    await camino.foto('ano', page.getByRole('heading', { level: 1 }))
    await camino.leer()
    await page.getByRole('button', { name: 'Editar la 2025' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'El sitio' })).toBeVisible()
    await camino.abre(en('/ediciones'))

    await camino.abre(`${site.url}/organizadores`)
    await site.sql(`insert into profiles (id, name, email, role) values ('ayuda', '', 'ayuda@comite.example', 'sitio')`)
    await camino.abre(`${site.url}/organizadores/personas`)
    await camino.abre(`${site.url}/organizadores/visitas`)

    const texto = await readFile('docs/manual-del-comite.md', 'utf8')
    const dicho = camino.dicho.join(' ')
    const quoted = [...new Set([...texto.matchAll(/«([^»]+)»/g)].map(([, words]) => words!))]
    expect(quoted.filter((words) => !dicho.includes(words))).toEqual([])
    const shown = leerManual(texto).flatMap((bloque) => (bloque.que === 'imagen' ? [bloque.nombre] : []))
    expect(shown.toSorted()).toEqual([...camino.fotos].sort())
    expect((await readdir(CARPETA)).sort()).toEqual(shown.toSorted())
    for (const nombre of shown) expect((await stat(`${CARPETA}/${nombre}`)).size, nombre).toBeLessThan(MAX_BYTES)
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
  for (const image of await page.getByRole('article').getByRole('img').all()) {
    await image.scrollIntoViewIfNeeded()
    await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(ANCHO)
  }
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }))
    await page.screenshot({ path: info.outputPath(`manual-${width}.png`) })
  }
})
