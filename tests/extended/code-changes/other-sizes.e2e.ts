import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { copyProject } from '../../support/site/project-copy.ts'
import { type RunningSite, startSite } from '../../support/site/running-site.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of content/, changed by hand as a volunteer would
type AnyDocument = any

/** Repeats the items of a list up to a count, and varies each copy. */
const times = (
  list: AnyDocument[],
  howMany: number,
  vary: (one: AnyDocument, place: number) => object,
): AnyDocument[] =>
  Array.from({ length: howMany }, (_, place) => {
    const one = structuredClone(list[place % list.length])
    return { ...one, ...vary(one, place) }
  })

let copy: string
let site: RunningSite | undefined

test.describe.configure({ mode: 'serial' })
test.beforeAll(async () => {
  copy = (await copyProject()).folder
})
test.afterAll(() => rm(copy, { recursive: true, force: true }))
test.afterEach(async ({ page }) => {
  await page.goto('about:blank')
  await site?.stop()
  site = undefined
})

async function change(document: string, edit: (value: AnyDocument) => AnyDocument) {
  const before = parse(await readFile(`content/2025/${document}.yaml`, 'utf8'))
  await writeFile(join(copy, `content/2025/${document}.yaml`), stringify(edit(before)))
}
const start = async (clock: string) => {
  site = await startSite({ DATA_DIR: join(copy, 'data'), SITE_CLOCK: clock }, copy)
  return site.url
}

test('without candidates the site says so, and empty sections are left out', async ({ page }) => {
  await change('candidatas', () => ({ candidatas: [] }))
  await change('maestros', ({ banner }) => ({ banner, maestros: [] }))
  await change('patrocinadores', () => [])
  await change('popularidad', ({ proclamacion }) => ({ proclamacion, patrocinadores: [] }))
  await change('inicio', ({ galeria: _, noticias: __, ...rest }) => ({ ...rest, galeria: [], noticias: [] }))
  await change('programa', () => ({ dias: [] }))
  // By the clock the vote would be over, but without candidates it has not begun.
  const url = await start('2025-10-02T12:00-06:00')

  await page.goto(`${url}/`)
  for (const name of ['GALERIA', 'ENTÉRATE', 'NUESTROS PATROCINADORES'])
    await expect(page.getByRole('heading', { name })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /programa/i })).toHaveCount(0)
  await expect(page.getByRole('main').getByRole('link', { name: 'Inscríbete' })).toHaveAttribute('href', '/registro')
  await page.goto(`${url}/candidatas`)
  await expect(page.getByRole('heading', { level: 1, name: 'Pronto conocerás a las candidatas' })).toBeVisible()
  // The calls, which lead to the registrations.
  await expect(page.getByRole('listitem').filter({ hasText: 'Concurso de Trajes Típicos' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Registrarse' }).first()).toHaveAttribute('href', /^\/registro/)
  await page.goto(`${url}/misspopularidad`)
  await expect(page.getByRole('heading', { level: 1, name: 'Pronto conocerás a las candidatas' })).toBeVisible()
  await expect(page.getByText('La votación cerró')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Ver convocatorias' })).toHaveAttribute('href', '/convocatoria')
  await page.goto(`${url}/misspopularidad/acta`)
  await expect(page.getByText('La votación comienza cuando el comité presente a las candidatas')).toBeVisible()
  await page.goto(`${url}/maestros`)
  await expect(page.getByText('Muy pronto presentaremos a quienes preparan a las candidatas')).toBeVisible()
  await page.goto(`${url}/programa`)
  await expect(page.getByRole('heading', { level: 1, name: 'El programa se está afinando' })).toBeVisible()
  // Screens of the press and the organisers, without candidates.
  await signIn(page.context(), Site.of(site!), 'prensa')
  await page.goto(`${url}/galeria-candidatas`)
  await expect(page.getByText('Las fotografías estarán aquí')).toBeVisible()
  await signIn(page.context(), Site.of(site!), 'admin')
  await page.goto(`${url}/misspopularidad-resultados`)
  await expect(page.getByText('La votación empieza cuando se anuncien las candidatas.')).toBeVisible()
})

test('twelve candidates, forty-one sponsors, nine teachers, seven announcements, one story', async ({ page }) => {
  const names = 'Olmos Nava Ruiz Luna Vega Soto Mora Paz Lira Reyes Solís Marín'.split(' ')
  await change('candidatas', ({ candidatas, ...grupos }) => ({
    ...grupos,
    candidatas: times(candidatas, 12, ({ nombre, galeria }, place) => ({
      id: `una-${place}`,
      nombre: `${nombre.split(' ').slice(0, 2).join(' ')} ${names[place]}`,
      galeria: galeria.slice(0, 1 + (place % 3)),
      ...(place > 5 && { prensa: {} }),
    })),
  }))
  await change('maestros', ({ banner, maestros }) => ({
    banner,
    maestros: times(maestros, 9, ({ nombre, video }, place) => ({
      nombre: `${nombre} ${names[place]}`,
      video: place === 1 ? undefined : video,
    })).map((one) => JSON.parse(JSON.stringify(one))),
  }))
  await change('patrocinadores', (all) =>
    times(all, 41, (_, place) => ({ id: `uno-${place}`, red: 'https://www.tiktok.com/@azahares' })),
  )
  await change('popularidad', ({ proclamacion, patrocinadores }) => ({ proclamacion, patrocinadores }))
  await change('inicio', ({ noticias, ...rest }) => ({ ...rest, noticias: noticias.slice(0, 1) }))
  await change('convocatorias', ({ anuncios, ...rest }) => ({ ...rest, anuncios: times(anuncios, 7, () => ({})) }))
  await change('edicion', ({ redes, ...rest }) => ({
    ...rest,
    redes: { ...redes, whatsapp: 'https://wa.me/5234800000', youtube: 'https://www.youtube.com/@azahares' },
    acento: '#35c9ff',
  }))
  const url = await start('2025-09-20T12:00-06:00')

  await page.goto(`${url}/`)
  const sponsors = page.getByRole('region', { name: 'NUESTROS PATROCINADORES' }).getByRole('link')
  await expect(sponsors).toHaveCount(41)
  await expect(sponsors.first()).toHaveAccessibleName(/ en TikTok \(se abre/)
  const news = page.getByRole('region', { name: 'ENTÉRATE' })
  await expect(news.getByRole('article')).toHaveCount(1)
  await expect(news.getByRole('button')).toHaveCount(0)
  const footer = page.getByRole('contentinfo')
  await expect(footer.getByRole('link', { name: 'WhatsApp' })).toHaveAttribute('href', 'https://wa.me/5234800000')
  await expect(footer.getByRole('link', { name: 'YouTube' })).toBeVisible()
  const rosa = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim())
  expect(await rosa()).toBe('#35c9ff')

  await page.goto(`${url}/candidatas`)
  await expect(page.getByRole('article')).toHaveCount(12)
  await page.setViewportSize({ width: 360, height: 760 })
  for (const path of ['/', '/candidatas', '/maestros', '/convocatoria', '/programa', '/misspopularidad']) {
    await page.goto(`${url}${path}`)
    await expectNoSidewaysScroll(page, path)
  }
  expect(await rosa()).toBe('#35c9ff')

  // Each candidate has an index in the vote; the next index has none.
  await page.goto(`${url}/misspopularidad?vote=11`)
  const dialog = page.getByRole('dialog').filter({ hasText: 'Tu voto para' })
  await expect(dialog.getByRole('heading')).toContainText('Marín')
  await page.goto(`${url}/misspopularidad?vote=12`)
  await expect(page.getByRole('dialog', { name: 'Ese enlace no es de ninguna candidata' })).toBeVisible()

  await page.goto(`${url}/maestros`)
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(9)
  // A teacher without a video.
  await page.goto(`${url}/maestros/ivonne-mezquite-salas-nava`)
  await expect(page.getByRole('heading', { name: 'Sígueme en mis redes' })).toBeVisible()
  await expect(page.locator('video')).toHaveCount(0)
  await page.goto(`${url}/convocatoria`)
  await expect(page.getByRole('button', { name: /^Anuncio \d de 7$/ })).toHaveCount(7)
})
