import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { holdScripts } from './registration-form.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'
import { swipe } from './touch.ts'

test.describe.configure({ mode: 'parallel' })

const gallery = (page: Page) => page.getByRole('region', { name: 'GALERIA' })
const news = (page: Page) => page.getByRole('region', { name: 'ENTÉRATE' })

/** Opens the home, and waits until the buttons of both rows work. */
async function visit(page: Page): Promise<void> {
  await page.goto('/')
  await expect(gallery(page).locator('[data-live]')).toBeAttached()
  await expect(news(page).locator('[data-live]')).toBeAttached()
}

/** The picture in the middle; its name has the number that a screen reader hears: «2 de 4» → 2. */
const current = (page: Page) => gallery(page).getByRole('figure').and(page.locator(':not([aria-hidden="true"])'))
const expectPicture = (page: Page, number: number) => expect(current(page)).toHaveAccessibleName(`${number} de 4`)

const story = (page: Page) => news(page).getByRole('article')
const expectStory = (page: Page, number: number) => expect(story(page)).toHaveAccessibleName(`${number} de 3`)

test('the parts of the home', async ({ page }) => {
  await page.clock.install()
  await visit(page)
  await softStep('says what it is in words, not only in pictures', async () => {
    await expect(page).toHaveTitle('Señorita Azahares 2025')
    await expect(page.getByRole('heading', { level: 1, name: 'Señorita Azahares' })).toBeVisible()
    await expect(page.getByText('Cada otoño, cuando la feria')).toBeVisible()
    for (const name of ['GALERIA', 'ENTÉRATE', 'NUESTROS PATROCINADORES'])
      await expect(page.getByRole('heading', { level: 2, name, exact: true })).toBeAttached()
  })

  await softStep('does not move by itself for visitors who asked for less motion', async () => {
    await expectPicture(page, 1)
    await page.clock.fastForward(3_600)
    await expectPicture(page, 1)
    expect(await page.locator('video').evaluate((video: HTMLVideoElement) => video.paused)).toBe(true)
    await gallery(page).getByRole('button', { name: 'Reproducir la galería' }).click()
    await page.mouse.move(5, 5)
    await expect(gallery(page).locator('[data-live]')).toHaveAttribute('aria-live', 'off')
    await page.clock.fastForward(3_000)
    await expectPicture(page, 2)
    await gallery(page).getByRole('button', { name: 'Pausar la galería' }).click()
  })

  await softStep('arrows wrap at both ends, and the neighbours stand at the sides', async () => {
    const start = Number((await current(page).getAttribute('aria-label'))!.charAt(0))
    const next = gallery(page).getByRole('button', { name: 'Siguiente' })
    const previous = gallery(page).getByRole('button', { name: 'Anterior' })
    for (let step = 1; step <= 4; step++) {
      await next.click()
      await expectPicture(page, ((start - 1 + step) % 4) + 1)
    }
    for (let step = 1; step <= 4; step++) {
      await previous.click()
      await expectPicture(page, ((start - 1 - step + 8) % 4) + 1)
    }
    const boxes = await page.evaluate(() =>
      Object.fromEntries(
        ['previous', 'current', 'next'].map((place) => {
          const { left, right } = document.querySelector(`[data-place="${place}"]`)!.getBoundingClientRect()
          return [place, { left, right }]
        }),
      ),
    )
    expect(boxes.previous!.right).toBeGreaterThan(0)
    expect(boxes.previous!.right).toBeLessThan(boxes.current!.left)
    expect(boxes.next!.left).toBeGreaterThan(boxes.current!.right)
    expect(boxes.next!.left).toBeLessThan(1440)
  })

  await softStep('gives the pink neon to the current picture only', async () => {
    const lit = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('[data-place]')]
          .filter((figure) => {
            const { opacity, boxShadow } = getComputedStyle(figure, '::after')
            return opacity === '1' && boxShadow.includes('rgb(255, 45, 143)')
          })
          .map((figure) => figure.getAttribute('data-place')),
      )
    await expect.poll(lit).toEqual(['current'])
  })

  await softStep('the news wrap at both ends, with buttons and dots', async () => {
    await expect(news(page).getByRole('heading', { level: 3 })).toHaveText(
      'La corona del centenario, hecha a mano en Azahares',
    )
    await news(page).getByRole('button', { name: 'Anterior' }).click()
    await expectStory(page, 3)
    await news(page).getByRole('button', { name: 'Siguiente' }).click()
    await expectStory(page, 1)
    const dots = news(page).getByRole('button', { name: /^Noticia/ })
    await expect(dots).toHaveCount(3)
    await dots.nth(1).click()
    await expectStory(page, 2)
    await expect(dots.nth(1)).toHaveAttribute('aria-current', 'true')
    await expect(dots.nth(0)).toHaveAttribute('aria-current', 'false')
  })

  await softStep('each sponsor opens its own page in a new tab and has a name', async () => {
    const links = page.getByRole('region', { name: 'NUESTROS PATROCINADORES' }).getByRole('link')
    await expect(links).toHaveCount(24)
    const facts = await links.evaluateAll((all) =>
      all.map((link) => ({
        href: (link as HTMLAnchorElement).href,
        target: link.getAttribute('target'),
        name: link.getAttribute('aria-label'),
      })),
    )
    expect(new Set(facts.map(({ href }) => href)).size).toBe(24)
    expect(new Set(facts.map(({ name }) => name)).size).toBe(24)
    for (const { href, target, name } of facts) {
      expect(href).toMatch(/^https:\/\/www\.(facebook|instagram)\.com\/./)
      expect(target).toBe('_blank')
      expect(name).toMatch(/ en (Facebook|Instagram) \(se abre en otra pestaña\)$/)
    }
  })

  await softStep('sponsors stand in two, three or four columns', async () => {
    const list = page.getByRole('region', { name: 'NUESTROS PATROCINADORES' }).getByRole('list')
    for (const [width, columns] of [
      [390, 2],
      [768, 3],
      [1440, 4],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      const lefts = await list
        .getByRole('listitem')
        .evaluateAll((items) => items.map((item) => Math.round(item.getBoundingClientRect().left)))
      expect(lefts).toHaveLength(24)
      expect(new Set(lefts).size, `at ${width} px`).toBe(columns)
    }
  })

  // tests/e2e/screens.e2e.ts runs axe at a telephone's width.
  await softStep('holds up against axe at 1440 px', () => expectAccessible(page))
})

test.describe('with motion', () => {
  test.use({ reducedMotion: 'no-preference' })

  test('gallery, news and video', async ({ page }) => {
    const order: string[] = []
    page.on('request', (request) => order.push(request.url()))
    await page.clock.install()
    await visit(page)
    await softStep('asks for no video until everything else is there', async () => {
      await expect.poll(() => order.some((url) => url.includes('/media/'))).toBe(true)
      const at = (part: string) => order.findIndex((url) => url.includes(part))
      expect(at('/media/')).toBeGreaterThan(at('fondo-poster'))
      expect(at('/media/')).toBeGreaterThan(at('entry.client'))
    })

    await softStep('plays a muted looping video over the whole height, and stops on demand', async () => {
      const video = page.locator('video')
      const facts = () =>
        video.evaluate((element: HTMLVideoElement) => ({
          muted: element.muted,
          loop: element.loop,
          inline: element.playsInline,
          height: element.getBoundingClientRect().height,
        }))
      expect(await facts()).toEqual({ muted: true, loop: true, inline: true, height: 900 })
      const paused = () => video.evaluate((element: HTMLVideoElement) => element.paused)
      await expect.poll(paused).toBe(false)
      await page.getByRole('button', { name: 'Pausar video' }).click()
      await expect.poll(paused).toBe(true)
      await page.getByRole('button', { name: 'Reproducir video' }).click()
      await expect.poll(paused).toBe(false)
    })

    // From here on the page's clock stands still, and steps move it.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.mouse.move(5, 5)
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
    const shown = () => current(page).getAttribute('aria-label')
    /** Long enough for the next picture. */
    const pass = () => page.clock.runFor(3_600)
    const effects = () => page.waitForTimeout(100)

    await softStep('news fade for 250 ms, controls disabled meanwhile, focus kept', async () => {
      const list = news(page).locator('[data-live]')
      const controls = news(page).getByRole('button')
      const disabled = () => controls.evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled')))
      const next = news(page).getByRole('button', { name: 'Siguiente' })
      await next.focus()
      await next.dispatchEvent('click')
      await expect(list).toHaveAttribute('data-changing')
      expect(await disabled()).toEqual(['true', 'true', 'true', 'true', 'true'])
      // A second press in the middle of the change has no effect.
      await next.dispatchEvent('click')
      await effects()
      await page.clock.runFor(245)
      await effects()
      await expect(list).toHaveAttribute('data-changing')
      await page.clock.runFor(10)
      await expect(list).not.toHaveAttribute('data-changing')
      await expect(list.locator('[data-place="current"]')).toHaveCSS('transition-duration', /0\.25s/)
      await expectStory(page, 2)
      await expect(next).toBeFocused()
      await expect(next).toHaveAttribute('aria-disabled', 'false')
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    })

    await softStep('the gallery advances every 3000 ms and wraps', async () => {
      const numbers = ['1 de 4', '2 de 4', '3 de 4', '4 de 4']
      await pass()
      await effects()
      for (let turn = 0; turn < 5; turn++) {
        const before = await shown()
        await page.clock.runFor(2_990)
        await effects()
        expect(await shown()).toBe(before)
        await page.clock.runFor(20)
        await expectPicture(page, ((numbers.indexOf(before!) + 1) % 4) + 1)
        await effects()
      }
    })

    await softStep('rests while the pointer is over it', async () => {
      await gallery(page).getByRole('figure').first().hover()
      await expect(gallery(page).locator('[data-live]')).toHaveAttribute('aria-live', 'polite')
      await effects()
      const before = await shown()
      await pass()
      await effects()
      expect(await shown()).toBe(before)
      await page.mouse.move(5, 5)
      await expect(gallery(page).locator('[data-live]')).toHaveAttribute('aria-live', 'off')
      await effects()
      await pass()
      await expect(current(page)).not.toHaveAccessibleName(before!)
    })

    await softStep('rests while the keyboard is in it, and has a button to stop it', async () => {
      const pause = gallery(page).getByRole('button', { name: 'Pausar la galería' })
      await pause.focus()
      await page.keyboard.press('Tab')
      await expect(gallery(page).getByRole('button', { name: 'Anterior' })).toBeFocused()
      await effects()
      const before = await shown()
      await pass()
      await effects()
      expect(await shown()).toBe(before)
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await expect(gallery(page).getByRole('button', { name: 'Reproducir la galería' })).toBeFocused()
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
      await effects()
      await pass()
      await effects()
      expect(await shown()).toBe(before)
    })
  })

  test('takes the upright cut on a phone', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    const asked = page.waitForRequest(/\/media\//)
    await page.goto('/')
    expect((await asked).url()).toContain('fondo-vertical')
  })
})

test.describe('con el dedo', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } })

  test('rows of pictures and news', async ({ page }) => {
    await visit(page)
    await softStep('the gallery takes a swipe of more than 50 px', async () => {
      const start = Number((await current(page).getAttribute('aria-label'))!.charAt(0))
      const row = gallery(page).locator('[data-live]')
      await row.scrollIntoViewIfNeeded()
      for (const dx of [49, -49, 50, -50]) {
        await swipe(page, row, dx)
        await expectPicture(page, start)
      }
      await swipe(page, row, -51)
      await expectPicture(page, (start % 4) + 1)
      await swipe(page, row, 51)
      await expectPicture(page, start)
      await swipe(page, row, 60, 140)
      await expectPicture(page, start)
    })

    await softStep('the news go back to the right and on to the left', async () => {
      const list = news(page).locator('[data-live]')
      await list.scrollIntoViewIfNeeded()
      await swipe(page, list, 49)
      await swipe(page, list, -49)
      await expectStory(page, 1)
      await swipe(page, list, 51)
      await expectStory(page, 3)
      await swipe(page, list, -51)
      await expectStory(page, 1)
    })
  })
})

test('a button pressed before the page is alive is not forgotten', async ({ page }) => {
  const open = await holdScripts(page)
  await page.goto('/')
  await news(page).getByRole('button', { name: 'Siguiente' }).click()
  await expect(page.locator('html[data-hydrated]')).toHaveCount(0)
  open()
  await expect(page.locator('html[data-hydrated]')).toBeAttached()
  await expectStory(page, 2)
  await news(page).getByRole('button', { name: 'Siguiente' }).click()
  await expectStory(page, 3)
})

test.describe('sin JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('everything can be seen, and the rows scroll from picture to picture', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(gallery(page).getByRole('figure')).toHaveCount(4)
    await expect(news(page).getByRole('article')).toHaveCount(3)
    await expect(news(page).getByRole('heading', { level: 3 })).toHaveCount(3)
    await expect(page.getByRole('button', { name: /Siguiente|Pausar/ })).toHaveCount(0)
    const row = gallery(page).getByRole('figure').first().locator('..')
    await row.scrollIntoViewIfNeeded()
    await row.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(async () => {
        const box = await gallery(page).getByRole('figure').nth(1).boundingBox()
        return box && Math.abs(box.x + box.width / 2 - 720) < 60
      })
      .toBe(true)
  })
})
