import type { Page } from '@playwright/test'
import { expectAccessible } from './accessible.ts'
import { holdScripts, hydrated } from './registration-form.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

test.describe.configure({ mode: 'parallel' })

const LINKS = [
  ['NUESTRA HISTORIA', '/nuestra-historia'],
  ['CANDIDATAS', '/candidatas'],
  ['MAESTROS', '/maestros'],
  ['CONVOCATORIAS', '/convocatoria'],
  ['MEDIOS', '/medios'],
  ['MISS POPULARIDAD', '/misspopularidad'],
] as const

const nav = (page: Page) => page.getByRole('navigation', { name: 'Principal' })
test('the header', async ({ page }) => {
  await page.goto('/')
  await hydrated(page)
  await softStep('has the links in the order given, the crown first', async () => {
    const links = nav(page).getByRole('link')
    await expect(page.getByRole('banner').getByRole('link')).toHaveCount(7)
    await expect(links).toHaveText(['', ...LINKS.map(([text]) => text)])
    await expect(links.first()).toHaveAccessibleName('Inicio')
    await expect(links.first()).toHaveAttribute('href', '/')
    await expect(links.first().locator('span')).toBeVisible()
    for (const [name, href] of LINKS)
      await expect(nav(page).getByRole('link', { name, exact: true })).toHaveAttribute('href', href)
  })

  await softStep('turns solid black once the page is scrolled', async () => {
    const background = () => page.getByRole('banner').evaluate((header) => getComputedStyle(header).backgroundColor)
    expect(await background()).toBe('rgba(0, 0, 0, 0)')
    await page.mouse.wheel(0, 300)
    await expect.poll(background).toBe('rgb(0, 0, 0)')
    await page.evaluate(() => scrollTo(0, 0))
    await expect.poll(background).toBe('rgba(0, 0, 0, 0)')
  })

  await softStep('MISS POPULARIDAD breathes, unless less motion is wanted', async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const text = nav(page).getByRole('link', { name: 'MISS POPULARIDAD' }).locator('span')
    await expect(text).toHaveCSS('animation-iteration-count', 'infinite')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect(text).toHaveCSS('animation-name', 'none')
  })

  await softStep('/ lights the crown in pink, also in the small-screen menu; no other screen does', async () => {
    const current = nav(page).locator('[aria-current="page"]')
    await expect(current).toHaveAccessibleName('Inicio')
    await expect(current).toHaveCSS('color', 'rgb(255, 111, 178)')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('button', { name: 'Menú', exact: true }).click()
    await expect(current).toHaveAccessibleName('Inicio')
    await expect(current).toBeInViewport()
    await expect(current).toHaveCSS('color', 'rgb(255, 111, 178)')
    await nav(page).getByRole('link', { name: 'MAESTROS' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Conoce a nuestros maestros', { ignoreCase: true })
    await expect(page.locator('nav a[href="/"]')).not.toHaveAttribute('aria-current', 'page')
  })
})

test('active links', async ({ page }) => {
  const lit = async (path: string) => {
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    return nav(page).locator('[aria-current]')
  }
  for (const [path, name] of [
    ['/candidatas', 'CANDIDATAS'],
    ['/maestros', 'MAESTROS'],
    ['/maestros/teresa-dalia-fuentes', 'MAESTROS'],
    ['/misspopularidad', 'MISS POPULARIDAD'],
    ['/medios', 'MEDIOS'],
    ['/convocatoriaoficial', 'MEDIOS'],
  ] as const)
    await softStep(`${path} lights ${name} in pink`, async () => {
      const current = await lit(path)
      await expect(current).toHaveText(name)
      await expect(current).toHaveAttribute('aria-current', 'page')
      await expect(current).toHaveCSS('color', 'rgb(255, 111, 178)')
    })

  for (const path of ['/registro', '/registro-traje-tipico', '/folio'])
    await softStep(`${path} is no entry's own screen, and lights CONVOCATORIAS, which leads to it`, async () => {
      const leading = await lit(path)
      await expect(leading).toHaveText('CONVOCATORIAS')
      await expect(leading).toHaveAttribute('aria-current', 'true')
      await expect(leading).toHaveCSS('color', 'rgb(255, 111, 178)')
    })

  await softStep('the teachers have a black page', async () => {
    await page.goto('/maestros/teresa-dalia-fuentes', { waitUntil: 'domcontentloaded' })
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(0, 0, 0)')
    await page.goto('/medios', { waitUntil: 'domcontentloaded' })
    await expect(page.locator('body')).not.toHaveCSS('background-color', 'rgb(0, 0, 0)')
  })
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(`menu on a phone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    test.use({ javaScriptEnabled, viewport: { width: 390, height: 844 } })

    test('opens, leads on, and closes on a click outside or Escape', async ({ page }) => {
      await page.goto('/medios')
      const button = page.getByRole('button', { name: 'Menú', exact: true })
      await expect(nav(page)).toBeHidden()
      await button.click()
      await expect(nav(page).getByRole('link')).toHaveCount(7)
      await expect(nav(page)).toBeInViewport()
      await page.mouse.click(20, 500)
      await expect(nav(page)).toBeHidden()
      await button.focus()
      await page.keyboard.press('Enter')
      await expect(nav(page)).toBeVisible()
      await page.keyboard.press('Tab')
      await expect(nav(page).getByRole('link', { name: 'Inicio' })).toBeFocused()
      await page.keyboard.press('Tab')
      await expect(nav(page).getByRole('link', { name: 'NUESTRA HISTORIA' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(nav(page)).toBeHidden()
      await expect(button).toBeFocused()
      await button.click()
      await nav(page).getByRole('link', { name: 'CANDIDATAS' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Candidatas' })).toBeVisible()
      await expect(nav(page)).toBeHidden()
    })
  })
}

test.describe('from screen to screen', () => {
  test.use({ reducedMotion: 'no-preference' })

  test('scrolls smoothly to the top, moves the focus, and Back restores the place', async ({ page }) => {
    await page.goto('/')
    await hydrated(page)
    await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
    await page.waitForTimeout(300)
    // Content that loads on the way down may still move the page.
    let place = -1
    await expect
      .poll(async () => {
        const before = place
        place = await page.evaluate(() => scrollY)
        return place - before
      })
      .toBe(0)
    expect(place).toBeGreaterThan(1500)
    // Position of each painted frame: a message sent within a frame arrives after its paint. A scroll event may come
    // before the frame has found its place.
    const positions = page.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const seen: number[] = []
          const { port1, port2 } = new MessageChannel()
          // The previous screen may move once more while the new one is on its way.
          const isNew = () => /candidatas/i.test(document.querySelector('h1')?.textContent ?? '')
          const onFrame = () => port2.postMessage(isNew())
          port1.onmessage = ({ data: wasNew }) => {
            if (wasNew) seen.push(Math.round(scrollY))
            if (seen.at(-1) === 0) resolve(seen)
            else requestAnimationFrame(onFrame)
          }
          requestAnimationFrame(onFrame)
        }),
    )
    await nav(page).getByRole('link', { name: 'CANDIDATAS' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Candidatas' })).toBeVisible()
    const seen = await positions
    expect(seen.at(-1)).toBe(0)
    // The new screen never shows its end first: the way up begins half a window down.
    expect(Math.max(...seen)).toBeLessThanOrEqual(450)
    await expect(page.getByRole('main')).toBeFocused()
    await page.goBack()
    await expect(page.getByRole('heading', { level: 1, name: 'Señorita Azahares' })).toBeAttached()
    await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(Math.round(place))
  })

  test('the way up has steps in between', async ({ page }) => {
    await page.goto('/aviso-de-privacidad')
    await hydrated(page)
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    await page.waitForTimeout(200)
    const seen = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const from = scrollY
          let between = 0
          addEventListener('scroll', () => {
            if (scrollY === 0) resolve(between)
            else if (scrollY < from) between += 1
          })
        }),
    )
    await page
      .getByRole('contentinfo')
      .getByRole('link', { name: /inicio/ })
      .click()
    expect(await seen).toBeGreaterThan(0)
  })

  test('the logo covers a slow change only', async ({ page }) => {
    await page.goto('/aviso-de-privacidad')
    await hydrated(page)
    const logo = page.getByRole('status').filter({ hasText: 'Cargando' })
    await expect(logo).toHaveCount(0)
    // The data of a dynamic screen is held back.
    let open = () => {}
    const held = new Promise<void>((resolve) => {
      open = resolve
    })
    await page.route(/\/maestros\/[\w-]+\.data/, async (route) => {
      await held
      await route.continue()
    })
    await page.evaluate(() => {
      history.pushState({}, '', '/maestros/teresa-dalia-fuentes')
      dispatchEvent(new PopStateEvent('popstate', { state: {} }))
    })
    await expect(logo).toBeVisible()
    const box = await logo.boundingBox()
    expect(box).toMatchObject({ x: 0, y: 0, width: 1440, height: 900 })
    open()
    await expect(page.getByRole('heading', { level: 1, name: 'Teresa Dalia Fuentes' })).toBeVisible()
    await expect(logo).toHaveCount(0)
  })
})

test.describe('footer', () => {
  test('footer and frame', async ({ page }) => {
    await page.goto('/medios')
    // tests/e2e/press.e2e.ts and screens.e2e.ts run axe at 1440 px, and without the menu.
    await softStep('the frame holds up against axe at 390 px, with its menu', async () => {
      await page.setViewportSize({ width: 390, height: 900 })
      await page.getByRole('button', { name: 'Menú', exact: true }).click()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
    })

    await softStep('changes its text at 600 px', async () => {
      const lines = async (width: number) => {
        await page.setViewportSize({ width, height: 800 })
        return page
          .getByRole('contentinfo')
          .locator('address span')
          .evaluateAll((spans) => new Set(spans.map((span) => Math.round(span.getBoundingClientRect().top))).size)
      }
      // Polled until the fonts are there.
      await expect.poll(() => lines(599)).toBe(2)
      await expect.poll(() => lines(600)).toBe(1)
    })

    await softStep('has the logo, the address and the networks', async () => {
      await page.setViewportSize({ width: 1440, height: 900 })
      const footer = page.getByRole('contentinfo')
      await expect(footer.getByRole('link', { name: 'Señorita Azahares, inicio' })).toHaveAttribute('href', '/')
      await expect(footer.getByText('Portal Hidalgo 14')).toBeVisible()
      const map = footer.getByRole('link', { name: 'Cómo llegar' })
      await expect(map).toHaveAccessibleName(/^Portal Hidalgo 14, Centro Azahares, Jalisco · C\.P\. 47180/)
      await expect(map).toHaveAttribute('href', /^https:\/\/www\.google\.com\/maps\//)
      await expect(map).toHaveAttribute('target', '_blank')
      await expect(footer.getByRole('link', { name: 'Facebook' })).toHaveAttribute('target', '_blank')
      await expect(footer.getByRole('link', { name: 'Instagram' })).toHaveAttribute('target', '_blank')
      await expect(footer.getByRole('link', { name: 'Organización' })).toHaveAttribute('href', '/organizadores')
      await footer.getByRole('link', { name: 'Aviso de privacidad' }).click()
      await expect(page).toHaveURL(/\/aviso-de-privacidad$/)
    })
  })

  test('takes little room under the organisers’ work, and keeps name and address', async ({ page }) => {
    await page.goto('/organizadores')
    const footer = page.getByRole('contentinfo')
    await expect(footer.getByRole('link', { name: 'Señorita Azahares, inicio' })).toHaveAttribute('href', '/')
    await expect(footer.getByText('Portal Hidalgo 14')).toBeVisible()
    await expect(footer.getByRole('link', { name: 'Instagram' })).toHaveAttribute('target', '_blank')
    await expect(footer.getByRole('link', { name: 'Tu folio' })).toHaveCount(0)
    await expect.poll(async () => (await footer.boundingBox())!.height).toBeLessThan(220)
  })
})

test.describe('messages', () => {
  test.use({ expectedErrors: [/404 \(Not Found\)/] })

  test('an unknown address says so, in the site’s own style', async ({ page, request }) => {
    expect((await request.get('/no/existe')).status()).toBe(404)
    expect((await request.get('/maestros/nadie')).status()).toBe(404)
    await page.goto('/candidatas')
    await hydrated(page)
    for (const path of ['/no/existe', '/maestros/nadie']) {
      await page.evaluate((to) => {
        history.pushState({}, '', to)
        dispatchEvent(new PopStateEvent('popstate', { state: {} }))
      }, path)
      await expect(page.getByRole('heading', { level: 1, name: 'Esta página no está en el programa' })).toBeVisible()
      await expect(page.getByRole('contentinfo').getByText('Portal Hidalgo 14')).toBeVisible()
    }
    // Both addresses show the same text, so no change tells when the second is drawn.
    await expect(async () => {
      const homeLink = page.getByRole('link', { name: 'Volver al inicio' })
      if (await homeLink.isVisible()) await homeLink.click({ timeout: 2_000 })
      await expect(page.getByRole('heading', { level: 1, name: 'Señorita Azahares' })).toBeVisible({ timeout: 3_000 })
    }).toPass()
  })

  test('an unknown address has header and footer from the first load', async ({ page }) => {
    const answer = await page.goto('/no/existe')
    expect(answer?.status()).toBe(404)
    await expect(page).toHaveTitle('Página no encontrada · Señorita Azahares 2025')
    await expect(nav(page).getByRole('link')).toHaveCount(7)
    await expect(page.getByRole('contentinfo').getByText('Portal Hidalgo 14')).toBeVisible()
  })
})

test('a menu that was opened before the page is alive stays open', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const release = await holdScripts(page)
  await page.goto('/aviso-de-privacidad', { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Menú', exact: true }).click()
  await expect(nav(page)).toBeVisible()
  await expect(page.locator('html[data-hydrated]')).toHaveCount(0)
  release()
  await hydrated(page)
  await expect(nav(page)).toBeVisible()
  await nav(page).getByRole('link', { name: 'CANDIDATAS' }).click()
  await expect(nav(page)).toBeHidden()
})

test('the first stop of the keyboard leads past the header', async ({ page }) => {
  await page.goto('/misspopularidad-resultados')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Saltar al contenido' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  // The browser moves the focus with its next frame.
  await expect(page.getByRole('main')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Correo Electrónico')).toBeFocused()
})
