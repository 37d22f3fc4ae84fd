import type { Page } from '@playwright/test'
import { holdBack, hydrated } from './documentos.ts'
import { ABIERTO, ANTES, CERRADO, setPeriodos } from './periodos.ts'
import { expect, type Site, test } from './site.ts'
import { expectFits } from './trajes.ts'

test.describe.configure({ mode: 'parallel' })

const FORMS = [
  { nombre: 'Registro de candidata', a: '/registro', titulo: 'Registro de Candidatas', anuncio: 2 },
  { nombre: 'Registro de traje típico', a: '/registro-traje-tipico', titulo: 'Registro de Traje Típico', anuncio: 1 },
] as const

const CERRADA = 'Convocatoria cerrada, muchas gracias por participar.'
const pie = (page: Page) => page.getByRole('contentinfo')
const inicio = (page: Page) => page.getByRole('main').getByRole('list').filter({ hasText: 'Registro de' })
const current = (page: Page) => page.locator('[data-vivo] > [data-lugar="actual"]')
const registrarse = (page: Page, role: 'link' | 'button') =>
  current(page).getByRole(role, { name: 'Registrarse', exact: true })

async function visit(page: Page, path: string) {
  await page.goto(path)
  await hydrated(page)
}

/** The first announcement is the costumes', the second the candidates'. */
async function openAnuncio(page: Page, number: 1 | 2) {
  await visit(page, '/convocatoria')
  if (number === 2) await page.getByRole('button', { name: 'Siguiente →', exact: true }).click()
  await expect(current(page)).toHaveAttribute('aria-label', `${number} de 2`)
}

// What the clock says is part of the words.
const test2099 = test.extend<{ site2099: Site }>({
  site2099: async ({ ensayo }, use) => {
    await ensayo.at('2099-08-20T12:00-06:00')
    await use(ensayo)
  },
  baseURL: ({ site2099 }, use) => use(site2099.url),
})

test2099(
  'open: home, announcements and footer lead to both forms, and say until when',
  async ({ page, site2099: site }) => {
    const reset = await setPeriodos(site, ABIERTO, ABIERTO)
    try {
      for (const { nombre, a, titulo, anuncio } of FORMS) {
        await visit(page, '/')
        const row = inicio(page).getByRole('link', { name: nombre })
        await expect(row).toContainText('Hasta el jueves 10 de septiembre')
        await row.click()
        await expect(page).toHaveURL(new RegExp(`${a}$`))
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(titulo)
        await expect(page.getByRole('button', { name: 'Enviar Registro' })).toBeVisible()

        await openAnuncio(page, anuncio)
        await expect(current(page).getByText('Recibimos registros hasta el jueves 10 de septiembre.')).toBeVisible()
        await expect(current(page).getByText(CERRADA)).toHaveCount(0)
        await registrarse(page, 'link').click()
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(titulo)

        await visit(page, '/nuestra-historia')
        await expect(pie(page).getByRole('listitem').filter({ hasText: nombre })).toContainText('Hasta el jueves 10')
        await pie(page).getByRole('link', { name: nombre }).click()
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(titulo)
      }
      await openAnuncio(page, 2)
      await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Convocatoria abierta')
      await expect(current(page).getByRole('link', { name: /^Corona de pedrería/ })).toBeVisible()
    } finally {
      await reset()
    }
  },
)

test2099(
  'before: they say when it opens, as people say dates, and nothing is pressed in vain',
  async ({ page, site2099: site }) => {
    const reset = await setPeriodos(site, ANTES, ANTES)
    try {
      const when = 'Abre el martes 1 de septiembre a las 10 a.m.'
      await visit(page, '/')
      for (const { nombre, anuncio } of FORMS) {
        await visit(page, '/')
        await expect(inicio(page).getByRole('listitem').filter({ hasText: nombre })).toContainText(when.slice(0, -1))
        await expect(inicio(page).getByRole('link')).toHaveCount(0)
        await expect(pie(page).getByRole('listitem').filter({ hasText: nombre })).toContainText(when.slice(0, -1))
        await openAnuncio(page, anuncio)
        await expect(registrarse(page, 'button')).toBeDisabled()
        await expect(current(page).getByText(when, { exact: true })).toBeVisible()
        await expect(current(page).getByText(/cerrada/)).toHaveCount(0)
      }
    } finally {
      await reset()
    }
  },
)

test2099(
  'closed: the specification’s button and sentences; home keeps silent, the footer’s links end nowhere blind',
  async ({ page, site2099: site }) => {
    const reset = await setPeriodos(site, CERRADO, CERRADO)
    try {
      await openAnuncio(page, 1)
      await expect(registrarse(page, 'button')).toBeDisabled()
      await expect(current(page).getByText(CERRADA, { exact: true })).toBeVisible()
      await openAnuncio(page, 2)
      await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Convocatoria cerrada')
      await expect(current(page).getByText('Gracias por su participación.', { exact: true })).toBeVisible()
      await expect(current(page).getByText('Registrarse')).toHaveCount(0)
      await visit(page, '/')
      await expect(pie(page).getByText('Cerrado', { exact: true })).toHaveCount(2)
      await expect(page.getByRole('main').getByText('Registro de')).toHaveCount(0)
      await pie(page).getByRole('link', { name: 'Registro de candidata' }).click()
      await expect(page.getByRole('heading', { name: /^El registro de candidatas cerró el 1 de agosto/ })).toBeVisible()
    } finally {
      await reset()
    }
  },
)

test2099(
  'each registration by itself: one open, the other closed; the answer is nobody’s to keep',
  async ({ page, site2099: site, request }) => {
    const reset = await setPeriodos(site, CERRADO, ABIERTO)
    try {
      const answer = await request.get(`${site.url}/periodos`)
      expect(answer.headers()['cache-control']).toBe('no-store')
      expect(await answer.json()).toMatchObject({
        candidatas: { estado: 'despues', ...CERRADO },
        trajes: { estado: 'abierto', ...ABIERTO, cuando: 'el jueves 10 de septiembre' },
      })
      await visit(page, '/')
      await expect(inicio(page).getByRole('link')).toHaveCount(1)
      await expect(inicio(page).getByRole('link')).toHaveAttribute('href', '/registro-traje-tipico')
      await openAnuncio(page, 1)
      await expect(registrarse(page, 'link')).toHaveAttribute('href', '/registro-traje-tipico')
      await openAnuncio(page, 2)
      await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Convocatoria cerrada')
    } finally {
      await reset()
    }
  },
)

test2099(
  'one that closes while its announcement is on the screen closes there, too',
  async ({ page, site2099: site, request }) => {
    const { ahora } = (await (await request.get(`${site.url}/periodos`)).json()) as { ahora: string }
    // Late enough for a busy machine to show it open first.
    const cierra = new Date(Date.parse(ahora) + 20_000).toISOString()
    const reset = await setPeriodos(site, ABIERTO, { ...ABIERTO, cierra })
    try {
      await openAnuncio(page, 1)
      await expect(registrarse(page, 'link')).toBeVisible()
      await expect(registrarse(page, 'button')).toBeDisabled({ timeout: 45_000 })
      await expect(current(page).getByText(CERRADA)).toBeVisible()
    } finally {
      await reset()
    }
  },
)

/** Everything that moved on the screen from here on without having been touched. */
const watchShifts = (page: Page) =>
  page.evaluate(() => {
    const seen: number[] = []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.push((entry as PerformanceEntry & { value: number }).value)
    }).observe({ type: 'layout-shift' })
    Object.assign(window, { shifts: seen })
  })
const shifts = (page: Page) => page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)

for (const width of [360, 768, 1440])
  for (const [said, periodo] of [
    ['antes', ANTES],
    ['abierto', ABIERTO],
    ['cerrado', CERRADO],
  ] as const)
    test2099(`nothing moves when the answer comes at ${width} px: ${said}`, async ({ page, site2099: site }) => {
      const reset = await setPeriodos(site, periodo, periodo)
      try {
        await page.setViewportSize({ width, height: 800 })
        for (const [path, seen] of [
          ['/', 'main ul'],
          ['/convocatoria', 'main h1'],
          ['/aviso-de-privacidad', 'footer ul'],
        ] as const) {
          const release = await holdBack(page, '**/periodos')
          await visit(page, path)
          await page
            .locator(seen)
            .first()
            .evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }))
          await page.evaluate(() => document.fonts.ready.then(() => undefined))
          await page.waitForTimeout(700)
          await watchShifts(page)
          const answered = page.waitForResponse('**/periodos')
          release()
          await answered
          await page.waitForTimeout(300)
          expect(await shifts(page), path).toEqual([])
          await page.unroute('**/periodos')
        }
      } finally {
        await reset()
      }
    })

test2099('the ways to the forms hold up against axe, and fit a small phone', async ({ page, site2099: site }) => {
  const reset = await setPeriodos(site, ABIERTO, ANTES)
  try {
    await page.setViewportSize({ width: 320, height: 700 })
    await visit(page, '/')
    await expect(inicio(page).getByRole('link')).toHaveCount(1)
    await expectFits(page)
    await openAnuncio(page, 2)
    await expect(registrarse(page, 'link')).toBeVisible()
    await expectFits(page)
  } finally {
    await reset()
  }
})

test.describe('where nobody can say', () => {
  test.use({ expectedErrors: [/net::ERR_/] })
  test('the links stand there all the same, and nothing is said to be closed', async ({ page }) => {
    await page.route('**/periodos', (route) => route.abort())
    await visit(page, '/')
    await expect(inicio(page).getByRole('link')).toHaveCount(2)
    await visit(page, '/convocatoria')
    await expect(registrarse(page, 'link')).toHaveAttribute('href', '/registro-traje-tipico')
    await expect(current(page).getByText(CERRADA)).toHaveCount(0)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('plain links lead to both forms, from everywhere', async ({ page }) => {
    for (const { nombre, a, titulo } of FORMS) {
      for (const place of [pie, inicio]) {
        await page.goto('/')
        await place(page).getByRole('link', { name: nombre }).click()
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(titulo)
      }
      await page.goto('/convocatoria')
      await expect(page.getByRole('main').locator(`a[href="${a}"]`)).toBeVisible()
    }
    await expect(page.getByText(CERRADA)).toBeHidden()
  })
})
