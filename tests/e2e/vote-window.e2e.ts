import type { Page } from '@playwright/test'
import { signInVoter } from './accounts.ts'
import { clearVotes } from './cast-votes.ts'
import { holdBack, hydrated, recordClosing } from './registration-form.ts'
import { expect, type Site } from './site.ts'
import { softStep } from './soft-step.ts'
import { testDuringVoting as test, vote } from './voting-days.ts'

// The code of the vote's window comes later than its screen.
test.use({ expectedErrors: [[/status of 40[019]/, /ERR_FAILED/], { scope: 'test' }] })

const CODE = '**/assets/vote-window-*.js'
const XIMENA = 'Ximena Agave Montaño'
const button = (page: Page, name: string) => page.getByRole('button', { name: `Votar por ${name}`, exact: true })
const votes = async (site: Site) =>
  (await site.sql<{ candidata: string }>('select candidata from banda_digital_votes')).map(({ candidata }) => candidata)

test.beforeEach(({ votingSite }) => clearVotes(votingSite))

/** A signed-in voter presses for Ximena before the window's code is there. @returns releases the code */
async function pressBeforeCode(page: Page, voting: Site) {
  await signInVoter(page.context(), voting)
  const release = await holdBack(page, CODE)
  await page.goto('/misspopularidad')
  await hydrated(page)
  await button(page, XIMENA).click()
  return release
}

test('a press before the window’s code is there waits for it, says so, and casts no vote meanwhile', async ({
  page,
  votingSite,
}) => {
  const release = await pressBeforeCode(page, votingSite)
  await expect(vote(page).getByRole('heading', { name: 'Un momento…' })).toBeVisible()
  await expect(page).toHaveURL(/\?vote=2$/)
  expect(await votes(votingSite)).toEqual([])
  release()
  await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  expect(await votes(votingSite)).toEqual([XIMENA])
})

test('closing the window before its code is there, or another press, forgets the first press', async ({
  page,
  votingSite,
}) => {
  const release = await pressBeforeCode(page, votingSite)
  await vote(page).getByRole('button', { name: 'Cerrar' }).click()
  await expect(vote(page)).toHaveCount(0)
  await expect(page).toHaveURL(/\/misspopularidad$/)
  // Both presses come before the window that asks to wait.
  await page.evaluate(() => {
    for (const name of ['Ximena', 'Paola'])
      [...document.querySelectorAll<HTMLButtonElement>('button[name=vote]')]
        .find(({ textContent }) => textContent.includes(name))!
        .click()
  })
  release()
  await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  expect(await votes(votingSite)).toEqual(['Paola Colorín Vega'])
  await vote(page).getByRole('button', { name: 'Cerrar' }).click()
  await expect(vote(page)).toHaveCount(0)
})

test('closing the window, or leaving the screen, while the session is checked casts no vote', async ({
  page,
  context,
  votingSite,
}) => {
  await signInVoter(context, votingSite)
  const release = await holdBack(page, CODE)
  await page.goto('/candidatas')
  await hydrated(page)
  await page.goto('/misspopularidad')
  await hydrated(page)
  const letAnswer = await holdBack(page, '**/sesion')
  await button(page, XIMENA).click()
  await expect(vote(page).getByRole('heading', { name: 'Un momento…' })).toBeVisible()
  const code = page.waitForResponse(CODE)
  release()
  await (await code).finished()
  await vote(page).getByRole('button', { name: 'Cerrar' }).click()
  await button(page, XIMENA).click()
  await expect(page).toHaveURL(/\?vote=2$/)
  await page.getByRole('link', { name: 'CANDIDATAS', exact: true }).first().click()
  await expect(page).toHaveURL(/\/candidatas$/)
  const session = page.waitForResponse('**/sesion')
  letAnswer()
  await session
  await page.waitForTimeout(500)
  await expect(page).toHaveURL(/\/candidatas$/)
  expect(await votes(votingSite)).toEqual([])
})

test('without the window’s code no vote is spent, and a link leads on with the candidate', async ({
  page,
  context,
  votingSite,
}) => {
  await signInVoter(context, votingSite)
  let tries = 0
  await page.route(CODE, (route) => {
    tries++
    return route.abort()
  })
  await page.goto('/misspopularidad?vote=2')
  const missing = vote(page).getByRole('heading', { name: 'No pudimos abrir tu voto' })
  await expect(missing).toBeVisible()
  expect(tries).toBeGreaterThan(3)
  await expect(vote(page).getByText(/Revisa tu conexión e inténtalo de nuevo/)).toBeVisible()
  await expect(page).toHaveURL(/\?vote=2$/)
  expect(await votes(votingSite)).toEqual([])
  await page.unroute(CODE)
  await vote(page).getByRole('link', { name: 'Reintentar' }).click()
  await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  expect(await votes(votingSite)).toEqual([XIMENA])
})

test('a screen that is only looked at does not fetch the window’s code; a scroll fetches it before the press', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto('/misspopularidad')
  await hydrated(page)
  await page.waitForTimeout(3_000)
  expect(asked.filter((url) => url.includes('/vote-window-'))).toEqual([])
  const code = page.waitForRequest(CODE)
  await page.mouse.wheel(0, 200)
  await code
})

test('the window’s code and its closing', async ({ page }) => {
  await page.goto('/misspopularidad')
  await hydrated(page)
  const asks = vote(page).getByRole('textbox', { name: 'Correo electrónico' })
  const code = page.waitForRequest(CODE)
  await softStep('the code comes with the pointer, and brings no sheet that the document has', async () => {
    await button(page, XIMENA).hover()
    await code
    await button(page, XIMENA).click()
    await expect(asks).toBeVisible()
    await expect(page.locator('link[rel=stylesheet]')).toHaveCount(0)
  })
  await softStep('closed by a key, the window leaves the screen before the page is styled anew', async () => {
    const changes = await recordClosing(page)
    await page.keyboard.press('Escape')
    await expect(vote(page)).toHaveCount(0)
    expect(await changes.evaluate((all) => all)).toEqual(['data-closing', 'open'])
    // The next window is visible again.
    await button(page, XIMENA).click()
    await expect(asks).toBeVisible()
    await expect(vote(page)).toHaveCSS('opacity', '1')
  })
})

for (const [how, script] of Object.entries({
  'that says so': `Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false })`,
  'that says nothing of it': `const send = window.fetch; window.fetch = (to, init) => send(to, { ...init, credentials: 'omit' })`,
}))
  test(`a browser without cookies ${how} is told the cause and the way out before a code is sent`, async ({
    page,
    votingSite,
  }) => {
    const email = `sin-cookies-${how.length}@correo.example`
    await page.addInitScript(script)
    await page.goto('/misspopularidad?vote=2')
    await hydrated(page)
    await vote(page).getByRole('textbox', { name: 'Correo electrónico' }).fill(email)
    await vote(page).getByRole('button', { name: 'Enviarme el código' }).click()
    await expect(vote(page)).toContainText('Este navegador no guarda cookies')
    await expect(vote(page)).toContainText('Chrome o en Safari')
    await expect(vote(page).getByRole('textbox', { name: 'Correo electrónico' })).toHaveValue(email)
    expect(await votingSite.mails(email)).toEqual([])
  })
