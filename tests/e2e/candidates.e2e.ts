// Longer than 350 lines: one screen at every width, with its photographs, by keyboard, finger and birthday.
import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { holdScripts, recordClosing } from './registration-form.ts'
import { expect, type Site, test } from './site.ts'
import { softStep } from './soft-step.ts'
import { swipe } from './touch.ts'

test.describe.configure({ mode: 'parallel' })

const NAMES = [
  'Valeria Bugambilia Olmos',
  'Renata Cempasúchil Nava',
  'Ximena Agave Montaño',
  'Fernanda Jacaranda Luna',
  'Paola Colorín Vega',
]
const block = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const minis = (page: Page, name: string) => block(page, name).locator('a[aria-haspopup="dialog"]')
const lightbox = (page: Page) => page.getByRole('dialog')
const expectPosition = (page: Page, text: string) =>
  expect(lightbox(page).getByText(text, { exact: true })).toBeVisible()

async function visit(page: Page, path = '/candidatas'): Promise<void> {
  await page.goto(path)
  await expect(page.locator('html[data-hydrated]')).toBeAttached()
}

/** Opens the second photograph of the second candidate. */
async function opens(page: Page): Promise<Locator> {
  const mini = minis(page, NAMES[1]!).nth(1)
  await mini.click()
  await expectPosition(page, '2 de 3')
  return mini
}

const scroll = (page: Page) => page.evaluate(() => scrollY)

/** Presses a thumbnail. @returns the page's scroll position at the press */
async function press(page: Page, mini: Locator): Promise<number> {
  // Late fonts change the layout above, and the browser scrolls along.
  await page.evaluate(async () => void (await document.fonts.ready))
  await mini.scrollIntoViewIfNeeded()
  await page.evaluate(() => {
    addEventListener('click', () => document.documentElement.setAttribute('data-antes', String(scrollY)), true)
  })
  await mini.click()
  return Number(await page.locator('html').getAttribute('data-antes'))
}

const hidden = (page: Page) =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('article > div')].filter(
        (block) => getComputedStyle(block).filter === 'opacity(0.25)',
      ).length,
  )

test.describe('content', () => {
  test('the texts of the five, and their layout', async ({ page }) => {
    await visit(page)
    await softStep('the five stand in the order of the vote, each with her texts', async () => {
      await expect(page).toHaveTitle('Candidatas · Señorita Azahares 2025')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('CONOCE A NUESTRAS CANDIDATAS')
      await expect(page.getByRole('img', { name: 'Las cinco candidatas en el escenario' })).toBeVisible()
      await expect(page.locator('article h2')).toHaveText(NAMES)
      await expect(block(page, NAMES[0]!).getByRole('term')).toHaveText([
        'Edad',
        'Origen',
        'Cumpleaños',
        'Carrera',
        'Signo Zodiacal',
        'Pasatiempos',
      ])
      const said = block(page, NAMES[0]!).getByRole('definition')
      await expect(said.nth(0)).toHaveText('22 años')
      await expect(said.nth(2)).toHaveText('7 de agosto')
      await expect(said.nth(4)).toHaveText('Leo')
      for (const name of NAMES) await expect(minis(page, name)).toHaveCount(3)
      const gallery = page.getByRole('region', { name: 'GALERÍA' })
      await expect(gallery.getByRole('heading', { level: 2, name: 'GALERÍA', exact: true })).toBeAttached()
      await expect(gallery.getByRole('link')).toHaveCount(15)
    })

    await softStep('sides alternate, and each has her own light', async () => {
      const facts = await page.locator('article').evaluateAll((all) =>
        all.map((article) => ({
          side: article.querySelector('img')!.getBoundingClientRect().x < innerWidth / 2 ? 'left' : 'right',
          light: getComputedStyle(article).getPropertyValue('--light'),
        })),
      )
      expect(facts.map(({ side }) => side)).toEqual(['left', 'right', 'left', 'right', 'left'])
      expect(new Set(facts.map(({ light }) => light)).size).toBe(5)
    })

    await softStep('nothing waits for visitors who want less motion', async () => {
      expect(await hidden(page)).toBe(0)
    })

    await softStep('the wheel stands still for visitors who want less motion', async () => {
      const turning = () =>
        page.evaluate(
          () =>
            document.getAnimations().filter((animation) => animation.effect?.getTiming().duration === 90_000).length,
        )
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      await expect.poll(turning).toBeGreaterThan(0)
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await expect.poll(turning).toBe(0)
    })

    await softStep('on a telephone the photographs of every candidate take as much room', async () => {
      await page.setViewportSize({ width: 360, height: 740 })
      const gallery = page.getByRole('region', { name: 'GALERÍA' })
      const sizes = await gallery
        .locator('[data-columns] > div')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.children].map((photo) => photo.clientWidth * photo.clientHeight).sort((a, b) => b - a),
          ),
        )
      expect(sizes).toHaveLength(NAMES.length)
      const least = Math.min(...sizes.flat())
      expect(least).toBeGreaterThan(90 * 120)
      for (const own of sizes)
        for (const [at, area] of own.entries()) expect(Math.abs(area / sizes[0]![at]! - 1)).toBeLessThan(0.02)
    })

    await softStep('no name of sixty characters breaks the page', async () => {
      for (const width of [320, 641, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        await page.locator('article h2 span').evaluateAll((spans) => {
          for (const span of spans) span.textContent = 'María Guadalupe Concepción Huizachera de la Noche y Montaños'
        })
        const facts = await page.evaluate(() => ({
          sideways: document.documentElement.scrollWidth - innerWidth,
          cut: [...document.querySelectorAll('article h2')].filter((name) => {
            const { left, right } = name.getBoundingClientRect()
            return left < -12 || right > innerWidth + 12
          }).length,
        }))
        expect(facts, `at ${width} px`).toEqual({ sideways: 0, cut: 0 })
      }
    })
  })

  test("an address leads to one candidate's block", async ({ page }) => {
    await visit(page, '/candidatas#fernanda-jacaranda-luna')
    await expect(block(page, NAMES[3]!).getByRole('heading')).toBeInViewport()
    await expect(lightbox(page)).toHaveCount(0)
  })
})

test.describe('visor', () => {
  test('mouse, keyboard and history', async ({ page, context, site }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/aviso-de-privacidad')
    await visit(page)
    await softStep('opens over the whole screen, and the page stays where it is', async () => {
      const before = await press(page, minis(page, NAMES[1]!).nth(1))
      await expectPosition(page, '2 de 3')
      await expect(lightbox(page)).toHaveAccessibleName(`Fotografías de ${NAMES[1]}`)
      await expect(lightbox(page).getByRole('button', { name: 'Cerrar', exact: true })).toBeFocused()
      expect(
        await lightbox(page).evaluate((dialog) => dialog.matches(':modal') && dialog.clientHeight === innerHeight),
      ).toBe(true)
      await page.mouse.wheel(0, 600)
      const photo = lightbox(page).getByRole('img')
      await expect(photo).toHaveCount(1)
      await expect(photo).toHaveAccessibleName(/^De espaldas y muy cerca/)
      const box = (await photo.boundingBox())!
      expect(box.width / box.height).toBeCloseTo(1333 / 2000, 2)
      expect(box.y).toBeGreaterThanOrEqual(0)
      expect(box.y + box.height).toBeLessThanOrEqual(900)
      expect(await scroll(page)).toBe(before)
      await lightbox(page).getByRole('button', { name: 'Cerrar' }).click()
      await expect(lightbox(page)).toHaveCount(0)
    })

    await softStep('the mouse steps round, and closes it by the button and beside the picture', async () => {
      const mini = await opens(page)
      await lightbox(page).getByRole('button', { name: 'Siguiente' }).click()
      await expectPosition(page, '3 de 3')
      await lightbox(page).getByRole('button', { name: 'Siguiente' }).click()
      await expectPosition(page, '1 de 3')
      await lightbox(page).getByRole('button', { name: 'Anterior' }).click()
      await expectPosition(page, '3 de 3')
      await lightbox(page).getByRole('img').click()
      await expectPosition(page, '3 de 3')
      await lightbox(page).getByRole('button', { name: 'Cerrar' }).click()
      await expect(lightbox(page)).toHaveCount(0)
      await expect(mini).toBeFocused()
      await mini.click()
      await expectPosition(page, '2 de 3')
      await page.mouse.click(8, 450)
      await expect(lightbox(page)).toHaveCount(0)
      await expect(mini).toBeFocused()
    })

    await softStep('the keyboard does all of it', async () => {
      const mini = minis(page, NAMES[1]!).nth(1)
      await mini.focus()
      await page.keyboard.press('Enter')
      await expectPosition(page, '2 de 3')
      for (const [key, text] of [
        ['ArrowRight', '3 de 3'],
        ['ArrowRight', '1 de 3'],
        ['ArrowLeft', '3 de 3'],
        ['Home', '1 de 3'],
        ['End', '3 de 3'],
      ] as const) {
        await page.keyboard.press(key)
        await expectPosition(page, text)
      }
      for (let step = 0; step < 6; step++) {
        await page.keyboard.press('Tab')
        expect(
          await page.evaluate(
            () => document.activeElement === document.body || !!document.activeElement?.closest('dialog'),
          ),
        ).toBe(true)
      }
      await page.keyboard.press('Escape')
      await expect(lightbox(page)).toHaveCount(0)
      await expect(mini).toBeFocused()
    })

    await softStep(
      'double click, wheel and keys enlarge up to four times, and the mouse moves the picture',
      async () => {
        await opens(page)
        const photo = lightbox(page).getByRole('img')
        const settled = () =>
          expect.poll(() => lightbox(page).evaluate((dialog) => dialog.getAnimations({ subtree: true }).length)).toBe(0)
        await settled()
        const whole = (await photo.boundingBox())!
        const grown = async () => (await photo.boundingBox())!.width / whole.width
        await photo.dblclick()
        await expect.poll(grown).toBeCloseTo(2.5, 1)
        await settled()
        const { y } = (await photo.boundingBox())!
        await page.mouse.move(720, 450)
        await page.mouse.down()
        await page.mouse.move(720, 520, { steps: 4 })
        await page.mouse.up()
        await expect.poll(async () => Math.round((await photo.boundingBox())!.y - y)).toBe(70)
        await page.keyboard.press('0')
        await expect.poll(grown).toBeCloseTo(1, 2)
        await page.keyboard.down('Control')
        for (let turn = 0; turn < 8; turn++) await page.mouse.wheel(0, -120)
        await page.keyboard.up('Control')
        await expect.poll(grown).toBeCloseTo(4, 1)
        await page.keyboard.press('ArrowRight')
        await expectPosition(page, '3 de 3')
        await expect.poll(grown).toBeCloseTo(1, 2)
        await page.keyboard.press('Escape')
        await expect(lightbox(page)).toHaveCount(0)
      },
    )

    await softStep('offers plain links to her block, and copies its address', async () => {
      await block(page, NAMES[2]!)
        .getByRole('button', { name: `Compartir a ${NAMES[2]}` })
        .click()
      const url = `${site.url}/candidatas#ximena-agave-montano`
      const menu = block(page, NAMES[2]!)
      const hrefs = await Promise.all(
        ['WhatsApp', 'Facebook'].map((name) => menu.getByRole('link', { name }).getAttribute('href')),
      )
      expect(new URL(hrefs[0]!).searchParams.get('text')).toBe(
        `${NAMES[2]}, candidata a Señorita Azahares 2025: ${url}`,
      )
      expect(new URL(hrefs[1]!).searchParams.get('u')).toBe(url)
      await menu.getByRole('button', { name: 'Copiar enlace' }).click()
      await expect(menu.getByRole('status')).toHaveText('Enlace copiado.')
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
      await page.keyboard.press('Escape')
      await expect(menu.getByRole('link', { name: 'WhatsApp' })).toBeHidden()
    })

    await softStep("gives the shared address to the system's own sheet", async () => {
      await page.evaluate(() => {
        navigator.share = async (data) => {
          document.documentElement.dataset.compartido = JSON.stringify(data)
        }
      })
      await block(page, NAMES[0]!)
        .getByRole('button', { name: /^Compartir/ })
        .click()
      await expect(page.locator('html[data-compartido]')).toBeAttached()
      expect(JSON.parse((await page.locator('html').getAttribute('data-compartido'))!)).toEqual({
        text: `${NAMES[0]}, candidata a Señorita Azahares 2025:`,
        url: `${site.url}/candidatas#valeria-bugambilia-olmos`,
      })
      await expect(block(page, NAMES[0]!).getByRole('link', { name: 'WhatsApp' })).toBeHidden()
    })

    await softStep('Back closes it where the page was, Forward opens it, nothing is asked for again', async () => {
      const mini = minis(page, NAMES[2]!).first()
      const before = await press(page, mini)
      await expectPosition(page, '1 de 3')
      // The prefetches of visible links do not count.
      await page.waitForLoadState('networkidle')
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.keyboard.press('ArrowRight')
      await expectPosition(page, '2 de 3')
      await page.goBack()
      await expect(lightbox(page)).toHaveCount(0)
      expect(new URL(page.url()).hash).toBe('')
      expect(await scroll(page)).toBe(before)
      await expect(mini).toBeFocused()
      await page.goForward()
      await expectPosition(page, '2 de 3')
      const changes = await recordClosing(page)
      await page.keyboard.press('Escape')
      await expect(lightbox(page)).toHaveCount(0)
      // The window fades before the page's styles change.
      expect(await changes.evaluate((all) => all)).toEqual(['data-closing', 'open'])
      await expect(page).toHaveURL(/\/candidatas$/)
      expect(asked.filter((url) => url.includes('.data') || url.includes('/hora'))).toEqual([])
    })

    await softStep('closed by hand it leaves no step behind: one Back more leaves the screen', async () => {
      await opens(page)
      await page.keyboard.press('ArrowRight')
      const { x, y } = (await lightbox(page).getByRole('button', { name: 'Cerrar' }).boundingBox())!
      // The second half of a double click hits the menu. The page makes it, since its timers keep their order on a slow
      // machine.
      await page.evaluate(
        ([left, top]) => {
          const again = () => {
            ;(document.elementFromPoint(left, top) as HTMLElement).click()
            document.documentElement.setAttribute('data-otra-vez', '')
          }
          new MutationObserver(() => setTimeout(again, 300)).observe(document.querySelector('dialog[open]')!, {
            attributeFilter: ['open'],
          })
        },
        [x + 20, y + 10] as const,
      )
      await page.mouse.click(x + 20, y + 10)
      await expect(page.locator('html[data-otra-vez]')).toBeAttached()
      // Closing steps back in the history, which may still be under way: a second step at once would go nowhere.
      await expect(page).toHaveURL(/\/candidatas$/)
      await page.goBack()
      await expect(page).toHaveURL(/\/aviso-de-privacidad$/)
    })
  })

  test('a reload shows the same photograph, and closing it the screen', async ({ page }) => {
    await visit(page)
    await opens(page)
    await page.keyboard.press('ArrowRight')
    // The address follows the picture.
    await expect(page).toHaveURL(/#foto-.+-3$/)
    await page.reload()
    await expectPosition(page, '3 de 3')
    await lightbox(page).getByRole('button', { name: 'Cerrar' }).click()
    await expect(lightbox(page)).toHaveCount(0)
    await expect(page).toHaveURL(/\/candidatas$/)
    await expect(minis(page, NAMES[1]!).nth(2)).toBeFocused()
  })

  test('a link to a photograph opens it, and closing it stays on the screen', async ({ page }) => {
    await visit(page, '/candidatas?de=prensa#foto-galeria-15')
    await expectPosition(page, '15 de 15')
    await page.keyboard.press('Escape')
    await expect(lightbox(page)).toHaveCount(0)
    await expect(page).toHaveURL(/\/candidatas\?de=prensa$/)
    await visit(page, '/candidatas#foto-galeria-16')
    await expect(lightbox(page)).toHaveCount(0)
  })

  test.describe('errors brought about', () => {
    test.use({ expectedErrors: [[/Failed to load resource|dynamically imported module/], { scope: 'test' }] })

    test('without its code, the picture opens by itself', async ({ page }) => {
      await page.route('**/assets/lightbox-dialog-*.js', (route) => route.abort())
      await visit(page)
      await minis(page, NAMES[0]!).first().click()
      await expect(page).toHaveURL(/\/img\/candidatas-c1-galeria-1-.*\.jpg$/)
    })

    test('a thumbnail pressed before the page is alive is not forgotten', async ({ page }) => {
      const open = await holdScripts(page)
      await page.goto('/candidatas')
      await minis(page, NAMES[0]!).nth(1).click()
      await expect(page).toHaveURL(/\/candidatas$/)
      open()
      await expectPosition(page, '2 de 3')
    })

    test('a pressed thumbnail opens its picture if the page never comes alive', async ({ page }) => {
      await page.route('**/assets/base-*.js', (route) => route.abort())
      await page.goto('/candidatas')
      await minis(page, NAMES[0]!).nth(1).click()
      await expect(page).toHaveURL(/\/img\/candidatas-c1-galeria-2-.*\.jpg$/)
    })
  })

  test.describe('con el dedo', () => {
    test.use({ hasTouch: true, viewport: { width: 390, height: 844 } })

    test('one finger and two', async ({ page }) => {
      await visit(page)
      await minis(page, NAMES[1]!).nth(1).tap()
      await expectPosition(page, '2 de 3')
      const photo = lightbox(page).getByRole('img')
      await softStep('a swipe of more than 50 px goes to the next or the previous', async () => {
        await swipe(page, photo, -49)
        await expectPosition(page, '2 de 3')
        await swipe(page, photo, -51)
        await expectPosition(page, '3 de 3')
        await swipe(page, photo, 120)
        await expectPosition(page, '2 de 3')
      })

      await softStep('two fingers enlarge, and then a finger moves the picture instead of leaving it', async () => {
        const { width } = (await photo.boundingBox())!
        const cdp = await page.context().newCDPSession(page)
        const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart?: number) =>
          cdp.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: apart === undefined ? [] : [195 - apart, 195 + apart].map((x, id) => ({ x, y: 420, id })),
          })
        await touch('touchStart', 40)
        for (const apart of [60, 80]) await touch('touchMove', apart)
        await touch('touchEnd')
        await expect.poll(async () => (await photo.boundingBox())!.width / width).toBeCloseTo(2, 1)
        const { x } = (await photo.boundingBox())!
        await swipe(page, lightbox(page), -100)
        await expectPosition(page, '2 de 3')
        await expect.poll(async () => (await photo.boundingBox())!.x).toBeLessThan(x - 60)
      })
    })
  })
})

test.describe('aparición', () => {
  test.use({ reducedMotion: 'no-preference' })

  test('blocks further down wait until they come into view, once', async ({ page }) => {
    await visit(page)
    await expect.poll(() => hidden(page)).toBeGreaterThanOrEqual(4)
    await block(page, NAMES[4]!).scrollIntoViewIfNeeded()
    await expect(block(page, NAMES[4]!).locator('> div')).toHaveCSS('filter', 'none')
    await expect(block(page, NAMES[4]!).locator('> div')).toHaveCSS('opacity', '1')
    const waiting = await hidden(page)
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await expect(block(page, NAMES[4]!)).not.toBeInViewport()
    expect(await hidden(page)).toBeLessThanOrEqual(waiting)
    await expect(block(page, NAMES[4]!).locator('> div')).toHaveCSS('opacity', '1')
  })
})

test.describe('cumpleaños', () => {
  const confettiPieces = (page: Page) =>
    page.evaluate(() => {
      const canvas = document.querySelector('canvas')
      const copy = canvas && new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')
      copy?.drawImage(canvas!, 0, 0)
      return copy?.getImageData(0, 0, canvas!.width, canvas!.height).data.some((value) => value !== 0) ?? false
    })

  /** Brings a candidate's block into view at a given time of the site's clock. */
  async function at(moment: string, page: Page, trialSite: Site, name: string): Promise<void> {
    await trialSite.at(moment)
    const told = page.waitForResponse('**/hora')
    await page.goto(`${trialSite.url}/candidatas`)
    await told
    await block(page, name).locator('dl').scrollIntoViewIfNeeded()
  }

  test.describe('with motion', () => {
    test.use({ reducedMotion: 'no-preference' })

    test('confetti falls while her block is in view, and only then: on the 13th for a candidate born on that day', async ({
      page,
      trialSite,
    }) => {
      await page.clock.install()
      await at('2025-08-13T23:50-06:00', page, trialSite, NAMES[3]!)
      await expect.poll(() => confettiPieces(page)).toBe(true)
      await block(page, NAMES[0]!).scrollIntoViewIfNeeded()
      // Confetti lives for 200 frames, however long a frame takes here.
      await expect(async () => {
        await page.clock.runFor(4_000)
        await expect(page.locator('canvas')).toHaveCount(0, { timeout: 200 })
      }).toPass()
    })

    test('no confetti at 2025-08-08T00:01-06:00, even on a device with another date', async ({ page, trialSite }) => {
      await page.clock.setFixedTime('2025-08-07T18:00:00Z')
      await at('2025-08-08T00:01-06:00', page, trialSite, NAMES[0]!)
      await page.waitForLoadState('networkidle')
      await expect(page.locator('canvas')).toHaveCount(0)
    })
  })

  test('visitors who want less motion get no confetti', async ({ page, trialSite }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await at('2025-08-07T12:00-06:00', page, trialSite, NAMES[0]!)
    await page.waitForLoadState('networkidle')
    await expect(page.locator('canvas')).toHaveCount(0)
    await expect(block(page, NAMES[0]!).getByText('Hoy cumple años Valeria')).toBeVisible()
    await expect(page.getByText(/^Hoy cumple años/)).toHaveCount(1)
    expect(asked.filter((url) => url.includes('confeti'))).toEqual([])
  })

  test('the hour is given to every visitor and never cached', async ({ request }) => {
    const answer = await request.get('/hora')
    expect(answer.headers()['cache-control']).toBe('no-store')
    expect(Math.abs(Date.parse((await answer.json()).ahora) - Date.now())).toBeLessThan(60_000)
  })
})

test.describe('sin JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('everything is there: blocks, pictures behind their thumbnails, links to share', async ({ page }) => {
    await page.goto('/candidatas')
    for (const name of NAMES) await expect(block(page, name).getByRole('heading')).toBeVisible()
    await block(page, NAMES[4]!)
      .getByRole('button', { name: /^Compartir/ })
      .click()
    await expect(block(page, NAMES[4]!).getByRole('link', { name: 'WhatsApp' })).toBeVisible()
    await expect(block(page, NAMES[4]!).getByRole('button', { name: 'Copiar enlace' })).toBeHidden()
    await page.keyboard.press('Escape')
    await minis(page, NAMES[4]!).first().click()
    await expect(page).toHaveURL(/\/img\/candidatas-c5-galeria-1-.*\.jpg$/)
  })
})

test('lightbox and menu, narrow and wide', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await visit(page)
  await softStep('no sideways scroll at 320 px, closed or open', async () => {
    const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await sideways()).toBeLessThanOrEqual(0)
    await minis(page, NAMES[0]!).first().click()
    await expectPosition(page, '1 de 3')
    expect(await lightbox(page).evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBeLessThanOrEqual(0)
    const small = await lightbox(page)
      .getByRole('button')
      .evaluateAll((buttons) => buttons.filter((button) => button.clientHeight < 44 || button.clientWidth < 44).length)
    expect(small).toBe(0)
    await page.keyboard.press('Escape')
    await expect(lightbox(page)).toHaveCount(0)
  })

  for (const width of [390, 1440])
    await softStep(`holds up against axe at ${width} px, the lightbox and the menu too`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await block(page, NAMES[1]!)
        .getByRole('button', { name: /^Compartir/ })
        .click()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await minis(page, NAMES[1]!).first().click()
      await expectPosition(page, '1 de 3')
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await expect(lightbox(page)).toHaveCount(0)
    })
})
