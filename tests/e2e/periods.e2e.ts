import type { Page } from '@playwright/test'
import { expectFits } from './costume-form.ts'
import { holdBack, hydrated } from './registration-form.ts'
import { ANTES, CLOSED_PERIOD, OPEN_PERIOD, setPeriods } from './set-periods.ts'
import { expect, type Site, test } from './site.ts'
import { softStep } from './soft-step.ts'

test.describe.configure({ mode: 'parallel' })

const FORMS = [
  { nombre: 'Registro de candidata', a: '/registro', titulo: 'Registro de Candidatas', anuncio: 2 },
  { nombre: 'Registro de traje típico', a: '/registro-traje-tipico', titulo: 'Registro de Traje Típico', anuncio: 1 },
] as const

const CALL_CLOSED = 'Convocatoria cerrada, muchas gracias por participar.'
const footer = (page: Page) => page.getByRole('contentinfo')
const home = (page: Page) => page.getByRole('main').getByRole('list').filter({ hasText: 'Registro de' })
const current = (page: Page) => page.locator('[data-live] > [data-place="current"]')
const registerLink = (page: Page, role: 'link' | 'button') =>
  current(page).getByRole(role, { name: 'Registrarse', exact: true })

async function visit(page: Page, path: string) {
  await page.goto(path)
  await hydrated(page)
}

/** Goes to one of two announcements: the costumes' is the first, the candidates' the second. */
async function goToSlide(page: Page, number: 1 | 2) {
  await page.getByRole('button', { name: `Anuncio ${number} de 2`, exact: true }).click()
  await expect(current(page)).toHaveAttribute('aria-label', `${number} de 2`)
}

// The texts depend on the site's clock.
const test2099 = test.extend<{ site2099: Site }>({
  site2099: async ({ trialSite }, use) => {
    await trialSite.at('2099-08-20T12:00-06:00')
    await use(trialSite)
  },
  baseURL: ({ site2099 }, use) => use(site2099.url),
})

test2099(
  'open: home, announcements and footer lead to both forms, and say until when',
  async ({ page, site2099: site }) => {
    const reset = await setPeriods(site, OPEN_PERIOD, OPEN_PERIOD)
    try {
      const expectForm = async (title: string) => {
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
        await page.goBack()
      }
      await visit(page, '/')
      for (const { nombre, a, titulo } of FORMS) {
        const row = home(page).getByRole('link', { name: nombre })
        await expect(row).toContainText('Hasta el jueves 10 de septiembre')
        await row.click()
        await expect(page).toHaveURL(new RegExp(`${a}$`))
        await expect(page.getByRole('button', { name: 'Enviar Registro' })).toBeVisible()
        await expect(page.getByRole('navigation', { name: 'Sigue' })).toBeHidden()
        await expectForm(titulo)
      }
      await visit(page, '/nuestra-historia')
      for (const { nombre, titulo } of FORMS) {
        await expect(footer(page).getByRole('listitem').filter({ hasText: nombre })).toContainText('Hasta el jueves 10')
        await footer(page).getByRole('link', { name: nombre }).click()
        await expectForm(titulo)
      }
      await visit(page, '/convocatoria')
      for (const { titulo, anuncio } of FORMS) {
        await goToSlide(page, anuncio)
        await expect(current(page).getByText('Recibimos registros hasta el jueves 10 de septiembre.')).toBeVisible()
        await expect(current(page).getByText(CALL_CLOSED)).toHaveCount(0)
        await registerLink(page, 'link').click()
        await expectForm(titulo)
      }
      await goToSlide(page, 2)
      await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Convocatoria abierta')
      await expect(current(page).getByRole('link', { name: /^Cartel: Convocatoria Señorita Azahares/ })).toBeVisible()
    } finally {
      await reset()
    }
  },
)

test2099(
  'before: the links say when the form opens, as people say dates, and no press is in vain',
  async ({ page, site2099: site }) => {
    const reset = await setPeriods(site, ANTES, ANTES)
    try {
      const when = 'Abre el martes 1 de septiembre a las 10 a.m.'
      await visit(page, '/')
      for (const { nombre } of FORMS) {
        await expect(home(page).getByRole('listitem').filter({ hasText: nombre })).toContainText(when.slice(0, -1))
        await expect(footer(page).getByRole('listitem').filter({ hasText: nombre })).toContainText(when.slice(0, -1))
      }
      await expect(home(page).getByRole('link')).toHaveCount(0)
      await visit(page, '/convocatoria')
      for (const { anuncio } of FORMS) {
        await goToSlide(page, anuncio)
        await expect(registerLink(page, 'button')).toBeDisabled()
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
    const reset = await setPeriods(site, CLOSED_PERIOD, CLOSED_PERIOD)
    try {
      await visit(page, '/convocatoria')
      await goToSlide(page, 1)
      await expect(registerLink(page, 'button')).toBeDisabled()
      await expect(current(page).getByText(CALL_CLOSED, { exact: true })).toBeVisible()
      await goToSlide(page, 2)
      await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Convocatoria cerrada')
      await expect(current(page).getByText('Gracias por su participación.', { exact: true })).toBeVisible()
      await expect(current(page).getByText('Registrarse')).toHaveCount(0)
      await visit(page, '/')
      await expect(footer(page).getByText('Cerrado', { exact: true })).toHaveCount(2)
      await expect(page.getByRole('main').getByText('Registro de')).toHaveCount(0)
      await footer(page).getByRole('link', { name: 'Registro de candidata' }).click()
      await expect(page.getByRole('heading', { name: /^El registro de candidatas cerró el 1 de agosto/ })).toBeVisible()
      await expect(page.getByRole('navigation', { name: 'Sigue' }).getByRole('link')).toBeVisible()
    } finally {
      await reset()
    }
  },
)

test2099(
  'each registration by itself: one open, the other closed; the answer is never cached',
  async ({ page, site2099: site, request }) => {
    const reset = await setPeriods(site, CLOSED_PERIOD, OPEN_PERIOD)
    try {
      const answer = await request.get(`${site.url}/periodos`)
      expect(answer.headers()['cache-control']).toBe('no-store')
      expect(await answer.json()).toMatchObject({
        candidatas: { estado: 'despues', ...CLOSED_PERIOD },
        trajes: { estado: 'abierto', ...OPEN_PERIOD, cuando: 'el jueves 10 de septiembre' },
      })
      await visit(page, '/')
      await expect(home(page).getByRole('link')).toHaveCount(1)
      await expect(home(page).getByRole('link')).toHaveAttribute('href', '/registro-traje-tipico')
      await visit(page, '/convocatoria')
      await goToSlide(page, 1)
      await expect(registerLink(page, 'link')).toHaveAttribute('href', '/registro-traje-tipico')
      await goToSlide(page, 2)
      await expect(current(page).getByRole('heading', { level: 2 })).toHaveText('Convocatoria cerrada')
    } finally {
      await reset()
    }
  },
)

test2099(
  'a registration that closes while its announcement is on the screen closes there, too',
  async ({ page, site2099: site }) => {
    const reset = await setPeriods(site, OPEN_PERIOD, { ...OPEN_PERIOD, cierra: '2099-08-20T13:00-06:00' })
    try {
      await page.clock.install()
      await visit(page, '/convocatoria')
      await goToSlide(page, 1)
      await expect(registerLink(page, 'link')).toBeVisible()
      await site.at('2099-08-20T13:00:01-06:00')
      // All screens wait for the closing, then spread their requests over three seconds.
      await page.clock.fastForward('01:00:05')
      await expect(registerLink(page, 'button')).toBeDisabled()
      await expect(current(page).getByText(CALL_CLOSED)).toBeVisible()
    } finally {
      await reset()
    }
  },
)

/** Positions of all elements by width. An element keeps its name as long as it exists with the same text. */
async function places(page: Page, widths: readonly number[]): Promise<Map<number, Map<string, string>>> {
  const found = new Map<number, Map<string, string>>()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const there = await page.evaluate(() => {
      const numbered = window as unknown as { numbers?: WeakMap<Element, number>; last?: number }
      numbered.numbers ??= new WeakMap()
      scrollTo({ top: 0, behavior: 'instant' })
      return [...document.querySelectorAll('body *')].flatMap((one) => {
        const { left, top, width, height } = one.getBoundingClientRect()
        if (width === 0 || height === 0) return []
        if (!numbered.numbers!.has(one)) {
          numbered.last = (numbered.last ?? 0) + 1
          numbered.numbers!.set(one, numbered.last)
        }
        const words = [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        // The pieces of one line share its width.
        const said =
          one.localName === 'span' ? [one.parentElement!.textContent] : words.map(({ nodeValue }) => nodeValue)
        const name = `${numbered.numbers!.get(one)} <${one.localName}> ${said.join('')}`
        return [[name, `${Math.round(left)}, ${Math.round(top)}`] as const]
      })
    })
    found.set(width, new Map(there))
  }
  return found
}

const WIDTHS = [360, 768, 1440]

test2099('nothing moves when the answer comes', async ({ page, site2099: site }) => {
  // Without periods of their own the registrations are over. The document, which reads the periods ahead, must not see that in between.
  const reset = await setPeriods(site, ANTES, ANTES)
  const isHomeWithoutPlace = async () => /<ul[^>]* hidden=""/.test(await (await page.request.get('/')).text())
  try {
    await expect.poll(isHomeWithoutPlace).toBe(false)
    for (const [state, period, said] of [
      ['antes', ANTES, 'Abre el martes'],
      ['abierto', OPEN_PERIOD, 'Hasta el jueves'],
      ['cerrado', CLOSED_PERIOD, 'Cerrado'],
    ] as const) {
      await setPeriods(site, period, period)
      for (const path of ['/', '/convocatoria', '/aviso-de-privacidad']) {
        const release = await holdBack(page, '**/periodos')
        await visit(page, path)
        await page.evaluate(() => document.fonts.ready.then(() => undefined))
        const before = await places(page, WIDTHS)
        await expect(footer(page).getByText(said)).toHaveCount(0)
        // The home's place for registrations that are over closes when it is out of view, as it is from the top of the screen.
        const lastRow = path === '/' && state === 'cerrado' ? 800 : Number.POSITIVE_INFINITY
        release()
        await expect(footer(page).getByText(said)).toHaveCount(2)
        const after = await places(page, WIDTHS)
        for (const width of WIDTHS)
          await softStep(`at ${width} px: ${state}, on ${path}`, async () => {
            const kept = [...before.get(width)!].filter(([one]) => after.get(width)!.has(one))
            expect(kept.length).toBeGreaterThan(50)
            const moved = kept.filter(
              ([one, place]) => after.get(width)!.get(one) !== place && Number(place.split(', ')[1]) < lastRow,
            )
            expect(moved.map(([one, place]) => `${one} from ${place} to ${after.get(width)!.get(one)}`)).toEqual([])
          })
        await page.unroute('**/periodos')
      }
    }
  } finally {
    await reset()
  }
})

test2099('the ways to the forms hold up against axe, and fit a small phone', async ({ page, site2099: site }) => {
  const reset = await setPeriods(site, OPEN_PERIOD, ANTES)
  try {
    await page.setViewportSize({ width: 320, height: 700 })
    await visit(page, '/')
    await expect(home(page).getByRole('link')).toHaveCount(1)
    await expectFits(page)
    await visit(page, '/convocatoria')
    await goToSlide(page, 2)
    await expect(registerLink(page, 'link')).toBeVisible()
    await expectFits(page)
  } finally {
    await reset()
  }
})

test.describe('without an answer on the periods', () => {
  test.use({ expectedErrors: [/net::ERR_/] })
  test('the links stand there all the same, and nothing is said to be closed', async ({ page }) => {
    await page.route('**/periodos', (route) => route.abort())
    await visit(page, '/')
    await expect(home(page).getByRole('link')).toHaveCount(2)
    await visit(page, '/convocatoria')
    await expect(registerLink(page, 'link')).toHaveAttribute('href', '/registro-traje-tipico')
    await expect(current(page).getByText(CALL_CLOSED)).toHaveCount(0)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('plain links lead to both forms, from everywhere', async ({ page }) => {
    for (const { nombre, a, titulo } of FORMS) {
      for (const place of [footer, home]) {
        await page.goto('/')
        await place(page).getByRole('link', { name: nombre }).click()
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(titulo)
      }
      await page.goto('/convocatoria')
      await expect(page.getByRole('main').locator(`a[href="${a}"]`)).toBeVisible()
    }
    await expect(page.getByText(CALL_CLOSED)).toBeHidden()
  })
})
