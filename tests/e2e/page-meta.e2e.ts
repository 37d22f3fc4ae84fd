import { brotliCompressSync, constants } from 'node:zlib'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { hydrated } from './registration-form.ts'
import { expect, Site, test } from './site.ts'

const ORIGIN = 'http://azahares.example'
let published: Site

test.beforeAll(async () => {
  published = await Site.start({ PUBLIC_URL: ORIGIN })
})
test.afterAll(() => published.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(published.url + path, { headers })
const text = async (path: string) => (await get(path)).text()
/** The attribute of the only element of its kind. @throws if there are none or several */
const only = (page: Page, selector: string, attribute = 'content') =>
  page.locator(`head ${selector}`).evaluateAll((found, name) => {
    if (found.length !== 1) throw new Error(`${found.length} of them`)
    return found[0]!.getAttribute(name)
  }, attribute)

async function screens(): Promise<string[]> {
  const sitemap = await text('/sitemap.xml')
  return [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => {
    expect(address).toMatch(new RegExp(`^${ORIGIN}/`))
    return address!.slice(ORIGIN.length)
  })
}

test('the sitemap names every screen once, and none that is kept out of search engines', async () => {
  const all = await screens()
  expect(all).toEqual([...new Set(all)])
  expect(all).toEqual(expect.arrayContaining(['/', '/nuestra-historia', '/registro', '/aviso-de-privacidad']))
  expect(all).not.toContain('/misspopularidad-resultados')
  for (const path of all) expect(await text(path), path).not.toMatch(/<meta name="robots" content="noindex"/)
})

// tests/e2e/screens.e2e.ts checks the same lines once the page is hydrated.
test('every screen has its title and its address in the head, and a card of the right size', async () => {
  const all = await screens()
  const titles = new Set<string>()
  for (const path of all) {
    const answer = await get(path)
    expect(answer.status, path).toBe(200)
    const document = await answer.text()
    const [head] = document.split('</head>')
    /** The text of the only line with this beginning; none or several fail. */
    const said = (begins: string) => {
      const found = [...head!.matchAll(new RegExp(`${begins}([^"<]*)["<]`, 'g'))]
      expect(found, `${path}: ${begins}`).toHaveLength(1)
      return found[0]![1]!.replaceAll(/&(?:amp|quot|#x27);/g, "'")
    }
    titles.add(said('<title>'))
    const description = said('<meta name="description" content="')
    expect(description.length, path).toBeGreaterThan(20)
    expect(description.length, path).toBeLessThanOrEqual(160)
    expect(said('<link rel="canonical" href="')).toBe(ORIGIN + path)
    expect(said('<meta property="og:url" content="')).toBe(ORIGIN + path)
    expect(said('<meta property="og:locale" content="')).toBe('es_MX')
    expect(said('<meta property="og:title" content="')).toBeTruthy()
    expect(said('<meta property="og:image:alt" content="')).toBeTruthy()
    expect(said('<meta name="twitter:card" content="')).toBe('summary_large_image')
    const card = said('<meta property="og:image" content="')
    expect(card).toMatch(new RegExp(`^${ORIGIN}/img/tarjeta-`))
    await expectCard(card.slice(ORIGIN.length))
    for (const [, json] of document.matchAll(/<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/gs))
      expect(JSON.parse(json!)).toMatchObject({ '@context': 'https://schema.org' })
  }
  expect(titles.size).toBe(all.length)
})

async function expectCard(path: string) {
  // Cards are drawn in the background. Until then the photograph stands in, and must not be cached.
  await expect
    .poll(async () => (await get(path)).headers.get('cache-control'), { timeout: 90_000 })
    .toMatch(/immutable/)
  const answer = await get(path)
  expect(answer.headers.get('content-type')).toBe('image/jpeg')
  const body = Buffer.from(await answer.arrayBuffer())
  expect(body.byteLength).toBeLessThan(300_000)
  expect(await sharp(body).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
}

test('the home tells search engines of the fair, its final and the news', async ({ page }) => {
  await page.goto(published.url)
  const json = await page.locator('script[type="application/ld+json"]').textContent()
  const data = JSON.parse(json!)['@graph'] as { '@type': string }[]
  expect(data.map((one) => one['@type'])).toEqual(['Festival', 'Event', 'NewsArticle', 'NewsArticle', 'NewsArticle'])
  expect(data[0]).toMatchObject({ startDate: '2025-09-12', endDate: '2025-09-28', url: `${ORIGIN}/` })
})

test('the head follows from screen to screen', async ({ page }) => {
  await page.goto('/')
  await hydrated(page)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Aviso de privacidad' }).click()
  await expect(page).toHaveTitle('Aviso de privacidad · Señorita Azahares 2025')
  const here = new URL('/aviso-de-privacidad', page.url()).href
  expect(await only(page, 'link[rel="canonical"]', 'href')).toBe(here)
  expect(await only(page, 'meta[property="og:url"]')).toBe(here)
  expect(await only(page, 'meta[name="description"]')).not.toContain('historia, candidatas')
})

test('pages prerendered take the origin that the start gives them', async ({ site }) => {
  for (const path of ['/', '/_.data', '/sitemap.xml', '/robots.txt', '/feria.ics']) {
    const here = await text(path)
    expect(here, path).toContain(ORIGIN)
    expect(here, path).not.toContain('sitio.invalid')
    const elsewhere = await fetch(site.url + path)
    expect(await elsewhere.text(), path).toContain(site.url)
    expect(elsewhere.headers.get('etag'), path).not.toBe((await get(path)).headers.get('etag'))
  }
})

test('pages prerendered have the best compression a moment after the start', async () => {
  const best = brotliCompressSync(await text('/'), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).byteLength
  const sent = async () => Number((await get('/', { 'accept-encoding': 'br' })).headers.get('content-length'))
  await expect.poll(sent).toBeLessThanOrEqual(best + 50)
})

test('robots.txt names the sitemap and the addresses that robots leave alone', async () => {
  const robots = await text('/robots.txt')
  expect(robots).toContain(`\nSitemap: ${ORIGIN}/sitemap.xml\n`)
  for (const path of ['/organizadores', '/archivos', '/subidas', '/misspopularidad-resultados'])
    expect(robots).toContain(`\nDisallow: ${path}\n`)
})

test('security.txt names the contact for a security report, and lasts half a year', async ({ site }) => {
  const said = await text('/.well-known/security.txt')
  expect(said).toContain(`Contact: ${ORIGIN}/aviso-de-privacidad\n`)
  expect(said).toContain(`\nCanonical: ${ORIGIN}/.well-known/security.txt\n`)
  expect(said).toContain('\nPreferred-Languages: es, en\n')
  const days = (Date.parse(/^Expires: (\S+)$/m.exec(said)![1]!) - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(180)
  // Without a mail server the mailbox may not exist.
  expect(said).not.toContain('mailto:')
  const answer = await fetch(`${site.url}/.well-known/security.txt`)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('a phone may keep the site among its programs', async ({ page }) => {
  await page.goto(published.url)
  const href = await only(page, 'link[rel="manifest"]', 'href')
  const answer = await get(href!)
  expect(answer.headers.get('content-type')).toBe('application/manifest+json')
  const manifest = await answer.json()
  expect(manifest).toMatchObject({ name: 'Señorita Azahares 2025', short_name: 'Azahares', lang: 'es-MX' })
  expect(manifest.theme_color).toBe(await only(page, 'meta[name="theme-color"]'))
  for (const { src, sizes, type } of manifest.icons as { src: string; sizes: string; type: string }[]) {
    const icon = await get(src)
    expect(icon.headers.get('content-type'), src).toContain(type)
    const { width, height } = await sharp(Buffer.from(await icon.arrayBuffer())).metadata()
    if (sizes !== 'any') expect(`${width}x${height}`).toBe(sizes)
  }
})

test('the footer puts the fair into the visitor’s calendar until it is over', async ({ page, votingSite }) => {
  await page.goto('/aviso-de-privacidad')
  const link = page.getByRole('link', { name: 'Añadir a mi calendario' })
  await expect(link).toHaveCount(0)
  await page.goto(`${votingSite.url}/aviso-de-privacidad`)
  const download = page.waitForEvent('download')
  await link.click()
  expect((await download).suggestedFilename()).toBe('feria-de-azahares-2025.ics')
  const answer = await get('/feria.ics')
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  const ics = (await answer.text()).replaceAll('\r\n ', '')
  for (const line of [
    'DTSTART;VALUE=DATE:20250912',
    'DTEND;VALUE=DATE:20250929',
    'DTSTART:20250928T020000Z',
    'SUMMARY:Feria de Azahares 2025',
    'LOCATION:Portal Hidalgo 14\\, Centro\\, Azahares\\, Jalisco',
    `URL:${ORIGIN}/`,
  ])
    expect(ics).toContain(`\r\n${line}\r\n`)
})
