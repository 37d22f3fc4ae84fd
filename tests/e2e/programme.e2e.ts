import type { BrowserContext, Page } from '@playwright/test'
import { hydrated } from './registration-form.ts'
import { expect, test } from './site.ts'

/** The section of a day of the fair. */
const day = (page: Page, date: string) => page.locator(`#dia-${date}`)

test('the programme says every day, hour and place without JavaScript, and has its own card and dates', async ({
  browser,
  site,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${site.url}/programa`)
  await expect(page.getByRole('heading', { level: 1, name: 'Programa de la feria' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(17)
  const contest = day(page, '2025-09-20').getByRole('listitem').filter({ hasText: '19:00' })
  await expect(contest.getByRole('heading', { name: 'Concurso de Trajes Típicos' })).toBeVisible()
  await expect(contest).toContainText('Explanada de la parroquia')
  // The final's hour stands only in edicion.yaml.
  await expect(day(page, '2025-09-27').getByRole('listitem').first()).toContainText('20:00')
  const graph = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent())!)['@graph']
  const [festival] = graph.filter((one: { '@type': string }) => one['@type'] === 'Festival')
  expect(festival.subEvent).toHaveLength(41)
  expect(festival.subEvent).toContainEqual(
    expect.objectContaining({ name: 'Concurso de Trajes Típicos', startDate: '2025-09-20T19:00:00-06:00' }),
  )
  await expect(page.locator('meta[property="og:image"]')).toHaveAttribute('content', /tarjeta-programa-/)
  expect(await (await page.request.get(`${site.url}/sitemap.xml`)).text()).toContain('/programa</loc>')
  await context.close()
})

test('on paper words are dark on white, days keep their numbers, and nothing lies over a page', async ({
  page,
  site,
}) => {
  await page.emulateMedia({ media: 'print' })
  const lightness = (color: string) => {
    const [red = 0, green = 0, blue = 0] = color.match(/[\d.]+/g)!.map(Number)
    return (red + green + blue) / 3
  }
  const look = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { color, backgroundColor, display } = getComputedStyle(element)
        return { color, backgroundColor, display }
      })
  const sheetCount = async () =>
    (await page.pdf({ format: 'Letter' })).toString('latin1').match(/\/Type\s*\/Page[^s]/g)!.length
  for (const path of ['/folio', '/aviso-de-privacidad', '/candidatas', '/misspopularidad/acta', '/programa']) {
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    expect(lightness((await look('body')).backgroundColor), path).toBe(255)
    expect(lightness((await look('h1')).color), path).toBeLessThan(60)
    await expect(page.getByRole('banner'), path).toBeHidden()
    await expect(page.getByRole('link', { name: 'Saltar al contenido' }), path).toBeHidden()
    // The act is one sheet with its seals, and says where it is counted again.
    if (path !== '/misspopularidad/acta') continue
    await expect(page.getByRole('img', { name: `Cuadro que lleva a ${site.url}${path}` })).toBeVisible()
    await expect(page.getByText('Sello del acta', { exact: true })).toBeVisible()
    expect(await sheetCount()).toBe(1)
  }
  await hydrated(page)
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(17)
  expect(lightness((await look('h2 span:nth-child(2)')).color)).toBeLessThan(60)
  expect(await sheetCount()).toBeLessThanOrEqual(3)
})

test('during the fair the sheet has all days in their order, too, and the screen has today first again afterwards', async ({
  page,
  trialSite,
}) => {
  await trialSite.at('2025-09-20T12:00-06:00')
  await page.goto(`${trialSite.url}/programa`)
  await expect(page.getByText('Los 8 días que ya pasaron')).toBeVisible()
  const numbers = () => page.getByRole('main').locator('h2 span:nth-child(2)').allTextContents()
  const inOrder = Array.from({ length: 17 }, (_, at) => String(12 + at))
  expect((await numbers())[0]).toBe('20')
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  expect(await numbers()).toEqual(inOrder)
  await expect(page.getByText('Hoy', { exact: true })).toHaveCount(0)
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await expect(page.getByText('Los 8 días que ya pasaron')).toBeVisible()
  expect((await numbers())[0]).toBe('20')
})

test('each event goes to the calendar, and the whole programme does', async ({ page, site, request }) => {
  await page.goto(`${site.url}/programa`)
  const final = day(page, '2025-09-27').getByRole('listitem').filter({ hasText: 'Final y coronación' })
  const link = final.getByRole('link', { name: /^Agregar al calendario: Final/ })
  const one = await request.get(new URL((await link.getAttribute('href'))!, site.url).href)
  expect(one.headers()).toMatchObject({ 'content-type': 'text/calendar; charset=utf-8' })
  const ics = (await one.text()).replaceAll('\r\n ', '')
  expect(ics.match(/BEGIN:VEVENT/g)).toHaveLength(1)
  expect(ics).toContain('DTSTART:20250928T020000Z')
  expect(ics).toContain('LOCATION:Explanada de la parroquia\\, Azahares\\, Jalisco')
  const all = await request.get(`${site.url}/programa.ics`)
  expect((await all.text()).match(/BEGIN:VEVENT/g)).toHaveLength(41)
  expect((await request.get(`${site.url}/programa/2025-09-12-nada.ics`)).status()).toBe(404)
})

test('footer, home and announcements lead to the programme; the header keeps its links', async ({ page, site }) => {
  for (const path of ['/', '/convocatoria']) {
    await page.goto(`${site.url}${path}`)
    await expect(page.getByText('La feria fue del 12 al 28 de septiembre.')).toBeVisible()
    await expect(page.getByRole('main').getByRole('link', { name: 'Ver el programa' })).toHaveAttribute(
      'href',
      '/programa',
    )
  }
  await expect(page.getByRole('navigation', { name: 'Principal' }).getByRole('link')).toHaveCount(7)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Programa de la feria' }).click()
  await expect(page).toHaveURL(`${site.url}/programa`)
})

test('in the fair’s days the home says what is on, over the candidates, who are one press away', async ({
  page,
  trialSite,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await trialSite.at('2025-09-20T19:30:00-06:00')
  await page.goto(trialSite.url)
  await expect(page.getByText('La feria es del 12 al 28 de septiembre.')).toBeVisible()
  const today = page.getByText('Hoy en la feria').locator('..')
  await expect(today).toContainText('Ahora: Concurso de Trajes Típicos, Explanada de la parroquia')
  await expect(today).toContainText('Sigue, a las 22:00: Baile de gala del pueblo')
  await expect(page.getByRole('link', { name: 'María José Azucena Prado' })).toHaveAttribute(
    'href',
    '/nuestra-historia#reina',
  )
  const links = page.getByRole('list', { name: 'Candidatas' }).getByRole('link')
  await expect(links).toHaveCount(5)
  const tops = await links.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
  expect(new Set(tops).size).toBe(1)
  await links.nth(3).click()
  await expect(page.getByRole('article', { name: 'Fernanda Jacaranda Luna' })).toBeInViewport()
})

test.describe('by the site’s clock', () => {
  test('today stands first by the site’s clock, past days are folded', async ({ page, trialSite }) => {
    await trialSite.at('2025-09-20T19:30:00-06:00')
    await page.goto(`${trialSite.url}/programa`)
    const first = page.locator('section[id^="dia-"]').first()
    await expect(first).toHaveAttribute('id', 'dia-2025-09-20')
    await expect(page.getByText('Hoy', { exact: true })).toBeVisible()
    await expect(first.getByRole('listitem').filter({ hasText: 'Ahora' })).toContainText('Concurso de Trajes Típicos')
    await expect(first.getByRole('listitem').filter({ hasText: 'Sigue' })).toContainText('Baile de gala')
    await expect(day(page, '2025-09-12')).toBeHidden()
    // A day of the calendar opens its folded section.
    await page.getByRole('link', { name: 'viernes 12 de septiembre' }).click()
    await expect(day(page, '2025-09-12')).toBeVisible()
    await expect(page.getByRole('link', { name: 'sábado 20 de septiembre' })).toHaveAttribute('aria-current', 'date')
  })

  test('before the fair its first day and the final stand open, the others are lines', async ({ page, trialSite }) => {
    await trialSite.at('2025-07-22T11:00:00-06:00')
    await page.goto(`${trialSite.url}/programa`)
    const events = (date: string) => day(page, date).getByRole('listitem').first()
    await expect(page.getByText('Faltan 52 días.')).toBeVisible()
    for (const date of ['2025-09-12', '2025-09-27']) await expect(events(date)).toBeVisible()
    await expect(events('2025-09-13')).toBeHidden()
    await page.getByRole('button', { name: 'sábado 13 de septiembre' }).click()
    await expect(events('2025-09-13')).toBeVisible()
  })

  test('after the fair the night of the final stands open, and the other days are folded', async ({
    page,
    trialSite,
  }) => {
    await trialSite.at('2025-10-02T12:00:00-06:00')
    await page.goto(`${trialSite.url}/programa`)
    await expect(page.getByText('Los 16 días que ya pasaron')).toBeVisible()
    await expect(day(page, '2025-09-27')).toBeVisible()
    await expect(day(page, '2025-09-28')).toBeHidden()
    // What is over goes into no calendar.
    await expect(page.getByRole('main').getByRole('link', { name: /calendario/ })).toHaveCount(0)
  })

  test('a phone has the days as lines under a strip that stays, and opens one by a press', async ({
    page,
    trialSite,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await trialSite.at('2025-09-20T19:30:00-06:00')
    await page.goto(`${trialSite.url}/programa`)
    const events = (date: string) => day(page, date).getByRole('listitem').first()
    await expect(events('2025-09-20')).toBeVisible()
    await expect(events('2025-09-21')).toBeHidden()
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(3_700)
    await page.getByRole('link', { name: 'Ahora Concurso de Trajes Típicos' }).click()
    await expect(page).toHaveURL(/#2025-09-20-concurso/)
    await page.getByRole('link', { name: 'jueves 25 de septiembre' }).click()
    await expect(events('2025-09-25')).toBeInViewport()
    const strip = page.getByRole('navigation', { name: 'Días de la feria' })
    await expect(strip.getByRole('link', { name: 'sábado 20 de septiembre' })).toBeInViewport()
    const fold = page.getByRole('button', { name: 'jueves 25 de septiembre' })
    await expect(fold).toHaveAttribute('aria-expanded', 'true')
    await fold.click()
    await expect(events('2025-09-25')).toBeHidden()
  })
})

/** Waits until the screen is in the cache and its service worker is active. */
const kept = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(async () => {
        const [name] = (await caches.keys()).filter((one) => one.startsWith('programa-'))
        if (name === undefined || !(await (await caches.open(name)).match('/programa'))) return false
        return (await navigator.serviceWorker.getRegistration('/programa'))?.active?.state === 'activated'
      }),
    )
    .toBe(true)
const scopes = (page: Page) =>
  page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname),
  )

test.describe('offline', () => {
  test.use({ serviceWorkers: 'allow', expectedErrors: [/ERR_INTERNET_DISCONNECTED|status of 404/] })

  test('the programme can be read once it has been opened, alone of all screens', async ({ context, page, site }) => {
    const policyOf = async (path: string) =>
      (await page.goto(`${site.url}${path}`))!.headers()['content-security-policy']
    expect(await policyOf('/')).toContain("worker-src 'none'; ")
    expect(await scopes(page)).toEqual([])
    expect(await policyOf('/programa')).toContain("worker-src 'self'; ")
    await kept(page)
    expect(await scopes(page)).toEqual(['/programa'])
    await context.setOffline(true)
    await page.goto(`${site.url}/programa`)
    await expect(page.getByRole('status')).toContainText('Sin conexión')
    await expect(day(page, '2025-09-28')).toContainText('Último castillo')
    await expect(page.goto(`${site.url}/candidatas`)).rejects.toThrow()
    await context.setOffline(false)
    await page.goto(`${site.url}/programa`)
    await expect(page.getByRole('status')).toHaveCount(0)
  })

  test('online nothing old is ever shown, and a removed programme is forgotten', async ({ context, page, site }) => {
    await page.goto(`${site.url}/programa`)
    await kept(page)
    // The cached page is replaced, so that an answer from the cache would show.
    await page.evaluate(async () => {
      for (const name of await caches.keys())
        await (await caches.open(name)).put('/programa', new Response('<h1>Lo de ayer</h1>'))
    })
    await page.goto(`${site.url}/programa`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Programa de la feria')
    await hydrated(page)
    await forgetsWhenGone(context, page, site)
  })
})

/**
 * The worker's request gets a 404. A worker that has just been started again may miss the first requests. Each page that it
 * misses is left only once it is hydrated: a page registers the worker then, and on a busy machine that would come after the 404.
 */
async function forgetsWhenGone(context: BrowserContext, page: Page, site: { url: string }) {
  let isGone = false
  await context.route('**/programa', (route) => {
    if (!route.request().serviceWorker()) return route.continue()
    isGone = true
    return route.fulfill({ status: 404, body: 'No hay programa.' })
  })
  await expect
    .poll(async () => {
      await page.goto(`${site.url}/programa`)
      if (!isGone) await hydrated(page)
      return isGone
    })
    .toBe(true)
  await page.goto(`${site.url}/`)
  await expect.poll(() => scopes(page)).toEqual([])
  expect(await page.evaluate(() => caches.keys())).toEqual([])
}
