import type { Page } from '@playwright/test'
import { signIn } from '../../e2e/accounts.ts'
import { SCREENS } from '../../e2e/public-screens.ts'
import { holdBack, photo } from '../../e2e/registration-form.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

// Errors thrown here on purpose reach the console, and so does React's report of each document that it renders again.
test.use({ expectedErrors: [[/./], { scope: 'test' }] })

const OWN_SCREENS = ['/organizadores', '/organizadores/sitio', '/organizadores/votacion', '/no-hay-tal-pantalla']

/** Changes that extensions, translators, telephones and filters make to a document before its scripts run. */
const CHANGES = {
  word: `document.createTreeWalker(document.querySelector('h1'), NodeFilter.SHOW_TEXT).nextNode().data += '!'`,
  element: `document.querySelector('main').prepend(document.createElement('div'))`,
  link: `document.querySelector('main a')?.remove()`,
  telephone: `const said = document.querySelector('main p')?.firstChild
    const number = Object.assign(document.createElement('a'), { href: 'tel:+523300000000', textContent: '33 0000 0000' })
    said?.before(number)`,
  translation: `const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = []
    for (let text; (text = walker.nextNode()); ) if (text.data.trim() && !/SCRIPT|STYLE|OPTION/.test(text.parentNode.nodeName)) texts.push(text)
    for (const text of texts) {
      const font = document.createElement('font')
      text.replaceWith(font)
      font.append(text)
    }`,
  blocker: `document.querySelector('body > header')?.remove()
    for (const picture of [...document.images]) picture.remove()`,
}

const beforeScripts = (change: string) =>
  `document.addEventListener('readystatechange', () => { if (document.readyState === 'interactive') { ${change} } })`

const isAwake = (page: Page) =>
  page.waitForFunction(() => {
    const main = document.querySelector('main')
    return (
      document.documentElement.hasAttribute('data-hydrated') &&
      main !== null &&
      Object.keys(main).some((key) => key.startsWith('__reactFiber'))
    )
  })

/** Checks that the page has words, its colours, and no waiting part. */
async function expectReadable(page: Page, path: string) {
  await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible()
  const { words, background } = await page.evaluate(() => ({
    words: document.body.innerText.trim().length,
    background: getComputedStyle(document.body).backgroundColor,
  }))
  expect(words, path).toBeGreaterThan(300)
  expect(background, path).not.toBe('rgba(0, 0, 0, 0)')
}

async function walk(page: Page, site: Site, seen: (path: string) => Promise<unknown>) {
  await signIn(page.context(), site, 'admin')
  for (const path of [...SCREENS, ...OWN_SCREENS]) {
    // Pictures further down are not waited for.
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    await seen(path)
    await expectReadable(page, path)
  }
}

test('every screen hydrates, even a changed document', async ({ page, site }) => {
  await page.addInitScript(
    beforeScripts(
      Object.values(CHANGES)
        .map((change) => `{ ${change} }`)
        .join(';'),
    ),
  )
  await walk(page, site, () => isAwake(page))
})

test('every screen stays as the server sent it where hydration fails', async ({ page, site }) => {
  const thrown: string[] = []
  page.on('pageerror', ({ message }) => thrown.push(message))
  await page.addInitScript(`Object.defineProperty(window, '__reactRouterRouteModules', {
    set() {},
    get() { throw new Error('at waking') },
  })`)
  await walk(page, site, async (path) => {
    await expect.poll(() => thrown, path).toContain('at waking')
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
    thrown.length = 0
  })
  // The page works as without JavaScript.
  await page.goto('/')
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page.getByRole('contentinfo').getByRole('link', { name: 'Aviso de privacidad' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Aviso de privacidad' })).toBeVisible()
})

for (const [kind, change] of Object.entries(CHANGES))
  test(`a form keeps the input from before hydration: ${kind}`, async ({ page }) => {
    await page.addInitScript(beforeScripts(change))
    const release = await holdBack(page, '**/assets/entry.client-*.js')
    await page.goto('/registro')
    await page.locator('#nombre').fill('Amalia Jarilla Prueba')
    await page.locator('#fotoRostro').setInputFiles(photo('rostro.jpg'))
    await page.locator('#edad').fill('21')
    release()
    await isAwake(page)
    await expect(page.locator('#nombre')).toHaveValue('Amalia Jarilla Prueba')
    await expect(page.locator('#edad')).toHaveValue('21')
    await expect(page.locator('#edad')).toBeFocused()
    await expect(page.getByText('rostro.jpg')).toBeVisible()
  })

test('an error in the effects of a screen leaves its words and the input', async ({ page }) => {
  await page.addInitScript(`window.IntersectionObserver = function () { throw new Error('at waking') }`)
  const release = await holdBack(page, '**/assets/entry.client-*.js')
  await page.goto('/registro')
  await page.locator('#nombre').fill('Amalia Jarilla Prueba')
  const thrown = page.waitForEvent('pageerror')
  release()
  await thrown
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await expectReadable(page, '/registro')
  await expect(page.locator('#nombre')).toHaveValue('Amalia Jarilla Prueba')
})

test('a later screen that cannot be rendered is requested from the server', async ({ page }) => {
  await page.goto('/')
  await isAwake(page)
  await page.evaluate(() => {
    const create = document.createElement.bind(document)
    document.createElement = (name: string) => {
      if (name === 'h1') throw new Error('at drawing')
      return create(name)
    }
  })
  const documents: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
  })
  await page.getByRole('banner').getByRole('link', { name: 'Nuestra Historia' }).first().click()
  await expect.poll(() => documents).toEqual(['/nuestra-historia'])
  await expectReadable(page, '/nuestra-historia')
})

test('a prerendered page casts no vote and requests nothing before it is seen', async ({ page }) => {
  await page.addInitScript(() => {
    let isAhead = true
    Object.defineProperty(document, 'prerendering', { get: () => isAhead })
    Object.assign(window, {
      see() {
        isAhead = false
        document.dispatchEvent(new Event('prerenderingchange'))
      },
    })
  })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/misspopularidad?vote=1')
  await page.mouse.move(40, 40)
  await expect.poll(() => asked.some((path) => path.includes('/entry.client-'))).toBe(true)
  await page.waitForLoadState('networkidle')
  const ofThePage = () => asked.filter((path) => !path.startsWith('/assets/') && !path.startsWith('/img/'))
  expect(ofThePage()).toEqual(['/misspopularidad'])
  await page.evaluate(() => (window as unknown as { see(): void }).see())
  await isAwake(page)
})
