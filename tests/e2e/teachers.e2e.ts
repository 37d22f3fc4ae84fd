// Longer than 350 lines: the list and the five profiles, at every width, by keyboard and finger.
import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

test.describe.configure({ mode: 'parallel' })

const MAESTROS = [
  { nombre: 'Lorena Magnolia Duarte', puesto: 'Directora general y coordinadora del certamen' },
  { nombre: 'Ivonne Mezquite Salas', puesto: 'Entrenadora física' },
  { nombre: 'Gabriela Azucena Ortiz', puesto: 'Psicóloga' },
  { nombre: 'Teresa Dalia Fuentes', puesto: 'Maestra de Oratoria' },
  { nombre: 'Rocío Tabachín Reyes', puesto: 'Maestra de baile' },
]
const PROFILE_PATHS = [
  '/maestros/lorena-magnolia-duarte',
  '/maestros/ivonne-mezquite-salas',
  '/maestros/gabriela-azucena-ortiz',
  '/maestros/teresa-dalia-fuentes',
  '/maestros/rocio-tabachin-reyes',
] as const
const DIRECTOR_PATH = PROFILE_PATHS[0]

const awake = (page: Page) => expect(page.locator('html[data-hydrated]')).toBeAttached()
const rows = (page: Page) => page.getByRole('main').getByRole('listitem')
const thumbnails = (page: Page) => page.locator('a[aria-haspopup="dialog"]')
const video = (page: Page) => page.locator('video')

const linesOf = (page: Page, jobTitle: string) =>
  page.getByText(jobTitle, { exact: true }).evaluate((title) => {
    const { height } = title.getBoundingClientRect()
    return Math.round(height / Number.parseFloat(getComputedStyle(title).lineHeight))
  })

test.describe('list', () => {
  test('list', async ({ page }) => {
    await page.goto('/maestros')
    await awake(page)
    await softStep('has a banner, the logo, the heading and five rows in order', async () => {
      await expect(page).toHaveTitle('Maestros · Señorita Azahares 2025')
      await expect(
        page.getByRole('heading', { level: 1, name: 'CONOCE A NUESTROS MAESTROS', exact: true }),
      ).toBeVisible()
      await expect(page.getByRole('img', { name: /^El escenario visto entre bastidores/ })).toBeVisible()
      await expect(rows(page)).toHaveCount(5)
      for (const [index, { nombre, puesto }] of MAESTROS.entries()) {
        const row = rows(page).nth(index)
        const link = row.getByRole('link')
        await expect(link).toHaveAccessibleName(new RegExp(`^${nombre} ${puesto}`))
        await expect(link).toHaveAttribute('href', PROFILE_PATHS[index]!)
        await expect(row.getByRole('heading', { level: 2, name: nombre, exact: true })).toBeAttached()
        await expect(row.getByRole('img')).toHaveCount(1)
      }
    })

    await softStep('moves nothing for visitors who asked for less motion', async () => {
      for (const row of await rows(page).all()) {
        await expect(row).toHaveCSS('animation-name', 'none')
        await expect(row).toHaveCSS('opacity', '1')
        await expect(row).not.toHaveAttribute('data-awaits-view')
      }
    })

    await softStep('ends at the fair, which stands still if less motion is asked for', async () => {
      const fair = page.locator('ol + div')
      await expect(fair.locator('> [aria-hidden="true"]')).toHaveCount(5)
      await expect(fair).toHaveText('')
      const running = () =>
        fair.evaluate(
          (element) => element.getAnimations({ subtree: true }).filter((one) => one.playState === 'running').length,
        )
      expect(await running()).toBe(0)
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      await expect.poll(running).toBeGreaterThan(0)
      await page.emulateMedia({ reducedMotion: 'reduce' })
    })

    for (const [width, stacked] of [
      [599, false],
      [600, true],
      [768, true],
      [1024, true],
      [1025, false],
    ] as const)
      await softStep(`${stacked ? 'stacks' : 'does not stack'} photograph and name at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 })
        const row = rows(page).first()
        const photo = (await row.getByRole('img').boundingBox())!
        const name = (await row.getByRole('heading').boundingBox())!
        expect(name.y >= photo.y + photo.height).toBe(stacked)
        expect(name.x >= photo.x + photo.width).toBe(!stacked)
      })

    // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
    await page.setViewportSize({ width: 1440, height: 900 })
    await expectAccessible(page)

    await softStep('takes a row to its profile, at the top', async () => {
      await rows(page).nth(4).click()
      await expect(page).toHaveURL(PROFILE_PATHS[4]!)
      await expect(page.getByRole('heading', { level: 1, name: 'Rocío Tabachín Reyes' })).toBeVisible()
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
    })

    await softStep('goes on to the next teacher, and leaves nothing of the one before', async () => {
      const before = await video(page).elementHandle()
      await page.getByRole('link', { name: /^Siguiente: Lorena/ }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Lorena Magnolia Duarte' })).toBeVisible()
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
      expect(await before!.evaluate((element) => element.isConnected)).toBe(false)
      await expect(video(page).locator('source')).toHaveAttribute('src', /direccion/)
    })
  })

  test.describe('with motion', () => {
    test.use({ reducedMotion: 'no-preference' })

    test('lets each row in from the left once, 0.6 s long, 0.1 s after the one before', async ({ page }) => {
      await page.setViewportSize({ width: 1440, height: 500 })
      await page.goto('/maestros')
      await expect(rows(page).nth(4)).toHaveAttribute('data-awaits-view')
      await expect(rows(page).nth(4)).toHaveCSS('filter', 'opacity(0.25)')
      await page.evaluate(() => {
        const seen: unknown[] = []
        Object.assign(window, { seen })
        // Animations are read at their begin, since on a busy machine one may be over before its event comes.
        const begun = new Map<Node, Animation | undefined>()
        new MutationObserver((changes) => {
          for (const { target } of changes)
            if (target instanceof HTMLLIElement) begun.set(target, target.getAnimations()[0])
        }).observe(document, { subtree: true, attributeFilter: ['data-awaits-view'] })
        document.addEventListener('animationstart', ({ target }) => {
          if (!(target instanceof HTMLLIElement)) return
          const animation = begun.get(target) ?? target.getAnimations()[0]
          const { duration, delay, iterations } = animation!.effect!.getTiming()
          const { opacity, translate } = (animation!.effect as KeyframeEffect).getKeyframes()[0]!
          const row = [...target.parentElement!.children].indexOf(target)
          seen.push({ row, duration, delay, iterations, opacity, left: Number.parseFloat(String(translate)) < 0 })
        })
      })
      const seen = () => page.evaluate(() => (window as unknown as { seen: { row: number }[] }).seen)
      for (const row of [0, 1, 2, 3, 4]) {
        await rows(page).nth(row).scrollIntoViewIfNeeded()
        await expect.poll(async () => (await seen()).some((one) => one.row === row)).toBe(true)
      }
      expect((await seen()).sort((a, b) => a.row - b.row)).toEqual(
        [0, 1, 2, 3, 4].map((row) => ({
          row,
          duration: 600,
          delay: row * 100,
          iterations: 1,
          opacity: '0.25',
          left: true,
        })),
      )
      for (const row of [0, 4]) {
        await rows(page).nth(row).scrollIntoViewIfNeeded()
        await expect(rows(page).nth(row)).toBeInViewport()
      }
      expect(await seen()).toHaveLength(5)
    })
  })
})

test.describe('profile', () => {
  test('the five profiles', async ({ page }) => {
    for (const [index, path] of PROFILE_PATHS.entries())
      await softStep(`${path} says it all, and leads back and on`, async () => {
        const { nombre, puesto } = MAESTROS[index]!
        const answer = await page.goto(path, { waitUntil: 'domcontentloaded' })
        expect(answer?.status()).toBe(200)
        await expect(page).toHaveTitle(`${nombre} · Señorita Azahares 2025`)
        await expect(page.getByRole('heading', { level: 1, name: nombre, exact: true })).toBeVisible()
        await expect(page.getByText(puesto, { exact: true })).toBeVisible()
        await expect(page.getByRole('heading', { level: 2, name: 'Conoce + de mí', exact: true })).toBeAttached()
        const cards = page.getByRole('region', { name: 'Conoce + de mí' }).getByRole('article')
        await expect(cards).toHaveCount(3)
        for (const [at, title] of ['Credenciales', 'Casos de Éxito', 'Datos Curiosos'].entries()) {
          await expect(cards.nth(at).getByRole('heading', { level: 3, name: title, exact: true })).toBeAttached()
          await expect(cards.nth(at).getByRole('img')).toHaveCount(1)
          const lines = await cards.nth(at).getByRole('listitem').allTextContents()
          expect(lines.length).toBeGreaterThanOrEqual(3)
          expect(lines.filter((line) => line.includes('*') || line.trim() === '')).toEqual([])
        }
        const redes = page.getByRole('region', { name: 'Sígueme en mis redes' })
        for (const name of ['Facebook', 'Instagram']) {
          const link = redes.getByRole('link', { name, exact: true })
          await expect(link).toHaveAttribute('href', new RegExp(`^https://www\\.${name.toLowerCase()}\\.com/`))
          await expect(link).toHaveAttribute('target', '_blank')
        }
        await expect(page.getByRole('link', { name: 'Todos los maestros' })).toHaveAttribute('href', '/maestros')
        const next = (index + 1) % MAESTROS.length
        const on = page.getByRole('link', { name: `Siguiente: ${MAESTROS[next]!.nombre}`, exact: true })
        await expect(on).toHaveAttribute('href', PROFILE_PATHS[next]!)
      })

    await softStep('gives the others’ title one line', async () => {
      await page.goto(PROFILE_PATHS[3])
      expect(await linesOf(page, MAESTROS[3]!.puesto)).toBe(1)
    })
  })

  test('sends nothing that only other screens show', async ({ request }) => {
    const data = await (await request.get(`${PROFILE_PATHS[1]}.data`)).text()
    expect(data).toContain('Ivonne Mezquite Salas')
    for (const hidden of ['Escucha a cada candidata', 'Pierde los lentes', 'retrato-bn'])
      expect(data).not.toContain(hidden)
    const list = await (await request.get('/maestros.data')).text()
    for (const hidden of ['Dirige el certamen', 'Cose sin dedal', 'Creció debajo', 'video.mp4'])
      expect(list).not.toContain(hidden)
  })
})

test('the director’s profile', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(DIRECTOR_PATH)
  await awake(page)
  await softStep('the video is upright, with controls, and nothing of it is fetched before it is played', async () => {
    await video(page).scrollIntoViewIfNeeded()
    expect(
      await video(page).evaluate((element: HTMLVideoElement) => ({
        controls: element.controls,
        inline: element.playsInline,
        preload: element.preload,
        autoplay: element.autoplay,
        poster: element.poster,
        text: element.textContent.trim(),
      })),
    ).toEqual({
      controls: true,
      inline: true,
      preload: 'none',
      autoplay: false,
      poster: '',
      text: 'Tu navegador no soporta el video.',
    })
    await expect(video(page)).toHaveAccessibleName(/^Video: la directora/)
    expect(asked.filter((url) => url.includes('/media/'))).toEqual([])
  })

  await softStep('gives the director’s title two lines', async () => {
    expect(await linesOf(page, MAESTROS[0]!.puesto)).toBe(2)
  })

  await softStep('lists the lines of a card as the content has them', async () => {
    const card = page
      .getByRole('article')
      .filter({ has: page.getByRole('heading', { name: 'Casos de Éxito' }) })
      .last()
    await expect(card.getByRole('listitem')).toHaveText([
      'Tres de sus reinas ganaron después la corona estatal',
      'Consiguió becas para que cuarenta y una candidatas terminaran su carrera',
      'Puso intérprete de lengua de señas en la final, en 2022',
    ])
  })

  await softStep('stands its cards in steps', async () => {
    const tops = await page
      .getByRole('region', { name: 'Conoce + de mí' })
      .getByRole('article')
      .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().top))
    expect(tops[1]! - tops[0]!).toBeGreaterThan(32)
    expect(tops[2]! - tops[1]!).toBeCloseTo(tops[1]! - tops[0]!)
  })

  await softStep('plays, and rests once it is off the screen', async () => {
    await video(page).scrollIntoViewIfNeeded()
    await video(page).evaluate((element: HTMLVideoElement) => {
      element.loop = true
      return element.play()
    })
    const facts = () => video(page).evaluate(({ paused, currentTime }: HTMLVideoElement) => ({ paused, currentTime }))
    await expect.poll(async () => (await facts()).currentTime).toBeGreaterThan(0)
    expect((await facts()).paused).toBe(false)
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await expect.poll(async () => (await facts()).paused).toBe(true)
    await video(page).evaluate((element: HTMLVideoElement) => element.pause())
  })

  for (const width of [320, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await softStep(`has three thumbnails of 128 px at ${width} px, each in reach`, async () => {
      await expect(thumbnails(page)).toHaveCount(3)
      for (const thumbnail of await thumbnails(page).all()) {
        const box = (await thumbnail.boundingBox())!
        expect([box.width, box.height]).toEqual([128, 128])
        // The page ignores presses for a double click's time; polling waits until that has passed.
        const reached = () =>
          thumbnail.evaluate((link) => {
            link.scrollIntoView({ block: 'center', behavior: 'instant' })
            const { left, top } = link.getBoundingClientRect()
            return [left + 4, left + 64, left + 124].every((x) => link.contains(document.elementFromPoint(x, top + 64)))
          })
        await expect.poll(reached).toBe(true)
      }
      // No thumbnail covers another; on a phone the row scrolls sideways.
      const boxes = await Promise.all((await thumbnails(page).all()).map((one) => one.boundingBox()))
      for (const [index, box] of boxes.entries())
        if (index > 0) expect(box!.x).toBeGreaterThanOrEqual(boxes[index - 1]!.x + 128)
    })
    await softStep(`the video is 9:16 and no wider than 360 px at ${width} px`, async () => {
      const box = (await video(page).boundingBox())!
      expect(box.width).toBeLessThanOrEqual(360)
      expect(box.width).toBeGreaterThan(Math.min(359, width - 42))
      expect(box.width / box.height).toBeCloseTo(9 / 16, 2)
    })
  }

  // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
  await expectAccessible(page)

  await softStep(
    'a thumbnail opens its picture over the page by the keyboard, and Escape leads back to it',
    async () => {
      const thumbnail = thumbnails(page).nth(1)
      await thumbnail.press('Enter')
      await expect(page.getByRole('dialog').getByText('2 de 3', { exact: true })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(thumbnail).toBeFocused()
    },
  )
})

test('an unknown teacher answers 404', async ({ request }) => {
  const answer = await request.get('/maestros/nadie')
  expect(answer.status()).toBe(404)
  expect(await answer.text()).toMatch(/<h1[^>]*>Esta página no está en el programa<\/h1>/)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the list is whole', async ({ page }) => {
    await page.goto('/maestros')
    for (const [index, { nombre }] of MAESTROS.entries())
      await expect(rows(page).nth(index).getByRole('heading', { name: nombre })).toBeVisible()
    await rows(page).nth(2).getByRole('link').click()
    await expect(page.getByRole('heading', { level: 1, name: 'Gabriela Azucena Ortiz' })).toBeVisible()
  })

  test('a profile is whole; a thumbnail leads to its picture', async ({ page, request }) => {
    await page.goto(DIRECTOR_PATH)
    await expect(page.getByRole('region', { name: 'Conoce + de mí' })).toBeVisible()
    await expect(video(page)).toBeVisible()
    const picture = await request.get((await thumbnails(page).first().getAttribute('href'))!)
    expect([picture.status(), picture.headers()['content-type']]).toEqual([200, 'image/jpeg'])
  })
})
