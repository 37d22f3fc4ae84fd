import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

test.describe.configure({ mode: 'parallel' })

/** What a search engine or a messenger reads of a document. */
const headOf = (page: Page) =>
  page.evaluate(() => {
    const content = (name: string) => document.querySelector(`meta[property="${name}"]`)?.getAttribute('content')
    return {
      description: document.querySelector('meta[name="description"]')?.getAttribute('content'),
      title: content('og:title'),
      type: content('og:type'),
      image: content('og:image'),
      canonical: document.querySelector('link[rel="canonical"]')?.getAttribute('href'),
      data: document.querySelector('script[type="application/ld+json"]')?.textContent,
    }
  })

test('a news item has its date, its marks, and an address of its own', async ({ page, request, site }) => {
  const path = '/noticias/la-rueda-vuelve-a-encenderse'
  const title = 'La rueda vuelve a encenderse frente a la parroquia'
  await softStep('the home leads to it', async () => {
    await page.goto('/')
    const news = page.getByRole('region', { name: 'ENTÉRATE' })
    await expect(news.locator('[data-live]')).toBeAttached()
    await news.getByRole('button', { name: 'Anterior' }).click()
    await expect(news.getByText('12 de julio de 2025')).toBeVisible()
    await expect(news.getByRole('listitem').filter({ hasText: 'cada noche, banda' })).toBeVisible()
    await news.getByRole('link', { name: title }).click()
    await expect(page).toHaveURL(`${site.url}${path}`)
  })

  await softStep('its screen shows list, link and date, and no mark', async () => {
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    const item = page.getByRole('article')
    await expect(item.getByText('12 de julio de 2025')).toHaveAttribute('datetime', '2025-07-12')
    await expect(item.getByRole('list').getByRole('listitem')).toHaveCount(3)
    await expect(item.getByRole('link', { name: 'el programa de la feria' })).toHaveAttribute('href', '/programa')
    await expect(item.getByRole('button', { name: 'Compartir la noticia' })).toBeVisible()
    await page
      .getByRole('navigation', { name: 'Otras noticias' })
      .getByRole('link', { name: /^La corona/ })
      .click()
    await expect(page).toHaveURL(`${site.url}/noticias/corona-del-centenario`)
    await expect(page.getByRole('navigation', { name: 'Otras noticias' }).getByRole('link')).toHaveCount(2)
    await expect(page.getByRole('article').locator('strong')).toHaveText('diez puntas')
    await expect(page.getByRole('article')).not.toContainText('**')
  })

  await softStep('its head has its own words and card, without marks', async () => {
    await page.goto(path)
    const head = await headOf(page)
    expect(head).toMatchObject({ title, type: 'article', canonical: `${site.url}${path}` })
    expect(head.description).toMatch(/^Diecisiete noches celebran los cien años de la feria: el viernes 12/)
    expect(head.data).toContain('"datePublished":"2025-07-12"')
    expect(head.data).not.toContain('](')
    const card = await request.get(new URL(head.image!).pathname)
    expect([card.status(), card.headers()['content-type']]).toEqual([200, 'image/jpeg'])
    expect(head.image).toContain('/img/tarjeta-noticia-la-rueda')
  })

  await softStep('search engines find it, and an unknown address is the site’s 404', async () => {
    expect(await (await request.get('/sitemap.xml')).text()).toContain(`<loc>${site.url}${path}</loc>`)
    for (const unknown of ['/noticias/nada', '/convocatoria/nada']) {
      const answer = await request.get(unknown)
      expect(answer.status(), unknown).toBe(404)
      expect(await answer.text()).toContain('Señorita Azahares')
    }
  })
})

test('a call has an address that opens it, and its rules for everybody', async ({ page, request, site }) => {
  await page.goto('/convocatoria/candidatas')
  const current = page.locator('[data-live] > [data-place="current"]')
  await softStep('its address shows it first, and both ends still join', async () => {
    await expect(current.getByRole('heading', { level: 2 })).toHaveText(/^Convocatoria (abierta|cerrada)$/)
    await page.getByRole('button', { name: 'Siguiente →', exact: true }).click()
    await expect(current.getByRole('heading', { level: 2 })).toHaveText('Concurso de Trajes Típicos')
  })

  await softStep('a call that its registration changes is shared with the card of all', async () => {
    expect(await headOf(page)).toMatchObject({ title: 'Convocatoria: Registro de candidata' })
    await page.goto('/convocatoria/trajes-tipicos')
    expect(await headOf(page)).toMatchObject({
      title: 'Concurso de Trajes Típicos',
      description: 'Concurso de Trajes Típicos: Participa y gana $10,000 pesos en efectivo.',
      canonical: `${site.url}/convocatoria/trajes-tipicos`,
      image: expect.stringContaining('/img/tarjeta-anuncio-trajes-tipicos'),
    })
  })

  await softStep('the link says what it downloads, and needs no account', async () => {
    const link = current.getByRole('link', { name: 'Descargar las bases (PDF, 27 KB)', exact: true })
    await expect(link).toHaveAttribute('download', 'senorita-azahares-2025-trajes-tipicos-las-bases.pdf')
    const answer = await request.get((await link.getAttribute('href'))!)
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/pdf'])
    const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(sha(await answer.body())).toBe(sha(await readFile('content/2025/convocatoria/bases-trajes.pdf')))
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('the call of an address comes first', async ({ page }) => {
    await page.goto('/convocatoria/candidatas')
    await expect(page.getByRole('heading', { level: 2 })).toHaveText([
      'Convocatoria cerrada',
      'Concurso de Trajes Típicos',
    ])
  })
})
