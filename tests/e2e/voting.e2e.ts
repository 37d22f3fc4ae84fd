// Longer than 350 lines: a voter’s journeys, over one site with an open vote.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { expectAccessible } from './accessible.ts'
import { newVoterCookie, signIn, signInVoter } from './accounts.ts'
import { castOn, clearVotes } from './cast-votes.ts'
import { expectNoSidewaysScroll } from './look-at-screen.ts'
import { hydrated } from './registration-form.ts'
import { expect, Site } from './site.ts'
import { softStep } from './soft-step.ts'
import { testDuringVoting as test, vote } from './voting-days.ts'

test.use({ expectedErrors: [[/status of (400|401|403|409|428)/, /ERR_FAILED/], { scope: 'test' }] })

const XIMENA = 'Ximena Agave Montaño'
const votes = (site: Site) =>
  site.sql<{ candidata: string; user_id: string }>('select candidata, user_id from banda_digital_votes order by id')

test.beforeEach(({ votingSite }) => clearVotes(votingSite))

test('from a link to a receipt: address, reload in between, code, thanks; and the next time a refusal', async ({
  page,
  votingSite,
}) => {
  const email = `lucia${Date.now()}@correo.mx`
  await page.goto('/candidatas')
  await page.goto('/misspopularidad?vote=2')
  const dialog = vote(page)
  await expect(dialog.getByRole('heading', { name: XIMENA })).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Correo electrónico' }).fill('lucia@correo')
  await dialog.getByRole('button', { name: 'Enviarme el código' }).click()
  await expect(dialog.getByText(/Escribe tu correo completo/)).toBeVisible()
  await dialog.getByRole('textbox').fill(email)
  await dialog.getByRole('button', { name: 'Enviarme el código' }).click()
  await expect(dialog.getByText(/Puedes pedir otro en 0:[23]\d/)).toBeVisible()
  // The code is queued, and may not go out: the page says that it should come, not that it went.
  await expect(dialog.getByText(`En un momento debe llegar a ${email} un código de seis dígitos.`)).toBeVisible()

  // The mail is read on the same phone, which reloads the tab afterwards.
  const code = await votingSite.code(email)
  await page.reload()
  const field = dialog.getByRole('textbox', { name: 'Código de seis dígitos' })
  await expect(field).toHaveAttribute('autocomplete', 'one-time-code')
  await field.fill(code.replace(/\d$/, (last) => String((Number(last) + 1) % 10)))
  await dialog.getByRole('button', { name: 'Confirmar mi voto' }).click()
  await expect(dialog.getByText(/Ese código no es, o ya venció/)).toBeVisible()
  expect(await votes(votingSite)).toEqual([])
  await field.fill(`${code!.slice(0, 3)} ${code!.slice(3)}`)
  await dialog.getByRole('button', { name: 'Confirmar mi voto' }).click()
  await expect(dialog.getByRole('heading', { name: '¡Gracias! Tu voto ha sido registrado.' })).toBeVisible()
  const receipt = await dialog.getByText(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/).textContent()
  await expectAccessible(page)
  expect((await votes(votingSite)).map(({ candidata }) => candidata)).toEqual([XIMENA])
  await expect(page).toHaveURL(`${votingSite.url}/misspopularidad`)
  // Her portrait is in the wheel. The receipt can be saved as a picture for a story, drawn without another server.
  await expect(dialog.locator('picture img')).toBeVisible()
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Guardar imagen' }).click()
  expect((await download).suggestedFilename()).toBe(`recibo-${receipt}.png`)
  // This site sends no mail, so it promises none.
  await expect(dialog.getByText(/Con él podrás comprobar/)).toHaveText(/^Con él/)
  const drawing = dialog.getByRole('img', { name: `Tu recibo ${receipt}` })
  await expect(drawing).toBeVisible()
  await expect
    .poll(() => drawing.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight]))
    .toEqual([1080, 1920])
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await expect(dialog).toHaveCount(0)

  // Back leads to the previous screen, never to the question.
  await page.goBack()
  await expect(page).toHaveURL(`${votingSite.url}/candidatas`)
  await page.goto('/misspopularidad?vote=0')
  await expect(dialog.getByRole('heading', { name: 'Ya has votado con este correo.' })).toBeVisible()
  await expect(page).toHaveURL(`${votingSite.url}/misspopularidad`)
  expect(await votes(votingSite)).toHaveLength(1)

  // The mail has the receipt, but not the candidate.
  const mail = await votingSite.mail(email, 'recibo')
  expect(mail).toContain(receipt)
  expect(mail).not.toContain('Ximena')
  // Messages fit a small phone. On a blank page no policy of the site takes their styles away.
  await page.goto('about:blank')
  await page.setViewportSize({ width: 320, height: 640 })
  for (const [kind, message] of [
    ['receipt', mail],
    ['code', await votingSite.mail(email, 'codigo')],
  ] as const) {
    await page.setContent(/<!doctype html>[\s\S]*<\/html>/i.exec(message)![0])
    await expectNoSidewaysScroll(page, kind)
  }
})

test('one press of Votar is enough for a signed-in voter; the sponsors come after the receipt, once', async ({
  page,
  context,
  votingSite,
}) => {
  await signInVoter(context, votingSite)
  await page.goto('/misspopularidad')
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  const sponsors = page.getByRole('dialog', { name: 'Gracias a nuestros patrocinadores' })
  await expect(page.getByRole('button', { name: 'Votar' })).toHaveCount(5)
  await expect(page.getByRole('button', { name: `Votar por ${XIMENA}`, exact: true })).toHaveText(/^Votar/)
  await page.getByRole('listitem').filter({ hasText: 'Paola' }).getByRole('button', { name: 'Votar' }).click()
  await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  expect((await votes(votingSite)).map(({ candidata }) => candidata)).toEqual(['Paola Colorín Vega'])
  // The thanks stand alone; the sponsors follow.
  await expect(sponsors).toBeHidden()
  await vote(page).getByRole('button', { name: 'Cerrar' }).click()
  await sponsors.getByRole('button', { name: 'Cerrar' }).click()
  // A second vote for the same candidate, in the same page, is not counted and gets no thanks.
  await page.getByRole('listitem').filter({ hasText: 'Paola' }).getByRole('button', { name: 'Votar' }).click()
  await expect(vote(page).getByRole('heading')).toHaveText('Ya has votado con este correo.')
  expect(await votes(votingSite)).toHaveLength(1)

  await page.goto('/misspopularidad?vote=1')
  await expect(vote(page).getByRole('heading')).toHaveText('Ya has votado con este correo.')
  await vote(page).getByRole('button', { name: 'Cerrar' }).click()
  await expect(vote(page)).toHaveCount(0)
  // The sponsors come once a session, even past the cards.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await expect(sponsors).toBeHidden()
})

test('the sponsors show themselves after the cards were scrolled past, and never on arrival', async ({ page }) => {
  const sponsors = page.getByRole('dialog', { name: 'Gracias a nuestros patrocinadores' })
  // Networks add parameters to a link.
  await page.goto('/misspopularidad?fbclid=abc')
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page
    .getByRole('button', { name: /^Votar por/ })
    .last()
    .scrollIntoViewIfNeeded()
  await expect(sponsors).toBeHidden()
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await expect(sponsors).toBeVisible()
  await sponsors.getByRole('button', { name: 'Cerrar' }).click()
  await page.reload()
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await expect(sponsors).toBeHidden()
})

test('a family shares a phone: after one voter another signs in, and votes for the same candidate', async ({
  page,
  votingSite,
}) => {
  const enter = async (email: string) => {
    await vote(page).getByRole('textbox', { name: 'Correo electrónico' }).fill(email)
    await vote(page).getByRole('button', { name: 'Enviarme el código' }).click()
    const code = await votingSite.code(email)
    await vote(page).getByRole('textbox', { name: 'Código de seis dígitos' }).fill(code)
    await vote(page).getByRole('button', { name: 'Confirmar mi voto' }).click()
    await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  }
  const grandmother = `abuela${Date.now()}@correo.mx`
  await page.goto('/misspopularidad?vote=4')
  await enter(grandmother)
  await page.goto('/candidatas')
  await expect(page.getByText(`Sesión de ${grandmother}`)).toBeVisible()

  await page.goto('/misspopularidad?vote=4')
  await expect(vote(page).getByRole('heading')).toHaveText('Ya has votado con este correo.')
  await vote(page).getByRole('button', { name: 'Vota otra persona' }).click()
  await expect(vote(page).getByRole('heading')).toHaveText('Paola Colorín Vega')
  const granddaughter = `nieta${Date.now()}@correo.mx`
  await enter(granddaughter)
  expect((await votes(votingSite)).map(({ candidata }) => candidata)).toEqual(Array(2).fill('Paola Colorín Vega'))
  await vote(page).getByRole('button', { name: 'Cerrar' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cerrar' }).click()
  await expect(page.getByText(`Sesión de ${granddaughter}`)).toBeVisible()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL(`${votingSite.url}/`)
  await expect(page.getByText(/^Sesión de/)).toHaveCount(0)
})

// app/voting/election/rules.test.ts tests every other form of such an address.
test('an address that names no candidate is an error and spends nothing', async ({ page, context, votingSite }) => {
  await signInVoter(context, votingSite)
  await page.goto('/misspopularidad?vote=1&vote=2')
  await expect(vote(page).getByRole('heading')).toHaveText('Ese enlace no es de ninguna candidata')
  await expect(page).toHaveURL(`${votingSite.url}/misspopularidad`)
  expect(await votes(votingSite)).toEqual([])
})

test('a link on another site asks first', async ({ page, context, votingSite }) => {
  await signInVoter(context, votingSite)
  // No page waits in the browser's memory: each step loads a new document.
  await page.route('https://otro.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'cache-control': 'no-store' },
      body: `<a href="${votingSite.url}/misspopularidad?vote=3">Vota</a>`,
    }),
  )
  await page.goto('https://otro.example/')
  await page.getByRole('link').click()
  await expect(vote(page).getByRole('heading')).toHaveText('Fernanda Jacaranda Luna')
  const asks = async () => {
    await expect(vote(page).getByRole('button', { name: 'Confirmar mi voto' })).toBeVisible()
    expect(await votes(votingSite)).toEqual([])
  }
  await asks()
  await softStep('loading it again, Back and Forward never vote by themselves', async () => {
    await page.reload()
    await asks()
    await page.goBack()
    await expect(page.getByRole('link', { name: 'Vota' })).toBeVisible()
    await page.evaluate(() => history.forward())
    await asks()
  })
  // The vote arrives, but its answer is lost: the retry counts as the same vote.
  await softStep('a failing network keeps the candidate and offers to retry', async () => {
    await page.route('**/misspopularidad/voto', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await vote(page).getByRole('button', { name: 'Confirmar mi voto' }).click()
    await expect(vote(page).getByRole('heading')).toHaveText('No pudimos registrar tu voto')
    await expect(page).toHaveURL(/\?vote=3$/)
    await page.unroute('**/misspopularidad/voto')
    await vote(page).getByRole('button', { name: 'Reintentar' }).click()
    await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
    expect((await votes(votingSite)).map(({ candidata }) => candidata)).toEqual(['Fernanda Jacaranda Luna'])
  })
  await softStep('a vote by the page’s own button needs no second press, however the page came', async () => {
    await clearVotes(votingSite)
    await vote(page).getByRole('button', { name: 'Cerrar' }).click()
    await expect(page).toHaveURL(`${votingSite.url}/misspopularidad`)
    await page.reload()
    await hydrated(page)
    await page.getByRole('listitem').filter({ hasText: 'Paola' }).getByRole('button', { name: 'Votar' }).click()
    await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
    expect((await votes(votingSite)).map(({ candidata }) => candidata)).toEqual(['Paola Colorín Vega'])
  })
})

test('a session that ends between arrival and vote leads to the code, with the same candidate', async ({
  page,
  context,
  votingSite,
}) => {
  await signInVoter(context, votingSite)
  await page.route('**/misspopularidad/voto', async (route) => {
    await context.clearCookies()
    const headers = { ...route.request().headers() }
    delete headers.cookie
    await route.continue({ headers })
  })
  await page.goto('/misspopularidad?vote=1')
  await expect(vote(page).getByRole('heading')).toHaveText('Renata Cempasúchil Nava')
  await expect(vote(page).getByRole('button', { name: 'Enviarme el código' })).toBeVisible()
  await expect(page).toHaveURL(/\?vote=1$/)
  expect(await votes(votingSite)).toEqual([])
})

test('the answer to a vote leads nobody back who has left the page', async ({ page, context, votingSite }) => {
  await signInVoter(context, votingSite)
  await page.goto('/candidatas')
  await hydrated(page)
  await page.evaluate(`window.__reactRouterDataRouter.navigate('/misspopularidad')`)
  const { promise: hasLeft, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/misspopularidad/voto', async (route) => {
    const response = await route.fetch()
    await hasLeft
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: `Votar por ${XIMENA}`, exact: true }).click()
  await expect.poll(() => votes(votingSite)).toHaveLength(1)
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'CONOCE A NUESTRAS CANDIDATAS' })).toBeVisible()
  const answered = page.waitForResponse('**/misspopularidad/voto')
  answer()
  await (await answered).finished()
  await page.waitForLoadState('networkidle')
  await expect(page).toHaveURL(`${votingSite.url}/candidatas`)
})

test('an address made to be thrown away', async ({ page, context, votingSite }) => {
  await signInVoter(context, votingSite, `desechable${Date.now()}@yopmail.com`)
  await page.route('**/assets/proof-of-work.client*.js', (route) => route.abort())
  await page.goto('/misspopularidad?vote=0')
  await softStep('a challenge that cannot be fetched is a failed connection, and is tried again', async () => {
    await expect(vote(page).getByRole('heading', { name: 'No pudimos registrar tu voto' })).toBeVisible()
    expect(await votes(votingSite)).toEqual([])
  })
  await page.unroute('**/assets/proof-of-work.client*.js')
  await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true }))
  await page.goto('/misspopularidad?vote=0')
  const again = vote(page).getByRole('button', { name: 'Hacerlo ahora' })
  await softStep('a browser that cannot do the work says so, and keeps the vote to be tried again', async () => {
    await expect(vote(page).getByRole('heading', { name: 'Tu voto todavía no se registró' })).toBeVisible()
    await expect(vote(page).getByText(/una versión más reciente/)).toBeVisible()
    await expect(again).toBeVisible()
    expect(await votes(votingSite)).toEqual([])
  })
  await page.evaluate(() => Reflect.deleteProperty(crypto, 'subtle'))
  await softStep('an address made to be thrown away takes a moment of work, and is counted', async () => {
    // The browser may solve the challenge at once by luck, but the challenge itself is always seen.
    const asked = page.waitForResponse((answer) => answer.status() === 428)
    await again.click()
    await asked
    await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.', {
      timeout: 40_000,
    })
    expect(await votingSite.sql('select sospecha from banda_digital_votes')).toEqual([{ sospecha: 'desechable' }])
  })
})

test('the page of the vote, before it is touched and with its window', async ({ page }) => {
  await page.clock.setFixedTime('2031-01-01T00:00:00Z')
  await page.goto('/misspopularidad')
  await softStep('the countdown follows the server’s clock, not the device’s', async () => {
    await expect(page.getByRole('timer')).toContainText(/05\s*días/)
    await expect(page.getByText('Cierra el jueves 25 de septiembre, 23:59, hora del centro')).toBeVisible()
  })
  await softStep(
    'no candidate is drawn larger than another, and on a desk every vote is within the first view',
    async () => {
      const buttons = page.getByRole('button', { name: /^Votar por/ })
      const sizes = (inside: string) =>
        page
          .getByRole('listitem')
          .filter({ has: page.getByRole('button', { name: 'Votar' }) })
          .locator(inside)
          .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().width)))
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        for (const inside of ['xpath=.', 'picture']) {
          const found = await sizes(inside)
          expect(found).toHaveLength(5)
          expect(Math.max(...found) - Math.min(...found)).toBeLessThanOrEqual(1)
        }
      }
      for (const button of await buttons.all()) await expect(button).toBeInViewport({ ratio: 1 })
    },
  )
  await softStep('fits 320 px and text of 200 %, and holds up against axe, with the window and without', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await sideways()).toBeLessThanOrEqual(0)
    await expectAccessible(page, { targets: true })
    await page.getByRole('button', { name: 'Votar' }).first().click()
    await vote(page).getByRole('textbox').fill(`angosta${Date.now()}@correo.mx`)
    await vote(page).getByRole('textbox').press('Enter')
    const field = vote(page).getByRole('textbox', { name: 'Código de seis dígitos' })
    await field.pressSequentially('12a3 45-678')
    await expect(field).toHaveValue('123456')
    // All six digits are visible.
    expect(await field.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0)
    await expectAccessible(page, { targets: true })
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    await vote(page).getByRole('button', { name: 'Cerrar' }).click()
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await sideways()).toBeLessThanOrEqual(0)
  })
})

test('a visitor whose address the mail server refuses is told so without asking, beside the address', async ({
  page,
  votingSite,
}) => {
  const email = `ludia${Date.now()}@correo.mx`
  await page.goto('/misspopularidad?vote=2')
  const dialog = vote(page)
  await dialog.getByRole('textbox', { name: 'Correo electrónico' }).fill(email)
  await dialog.getByRole('button', { name: 'Enviarme el código' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Código de seis dígitos' })).toBeFocused()
  // The site's mail server may have taken the letter already.
  await votingSite.sql(
    `update correos set sent_at = null, failed_at = now(), last_error = '550 RCPT TO' where recipient = $1`,
    [email],
  )
  await expect(dialog.getByText(/^El servidor de correo no aceptó esa dirección/)).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'Correo electrónico' })).toHaveValue(email)
})

test('without JavaScript the same steps are forms', async ({ browser, votingSite }) => {
  const page = await browser.newPage({ javaScriptEnabled: false, baseURL: votingSite.url })
  const email = `sinscript${Date.now()}@correo.mx`
  await page.goto('/misspopularidad')
  await expect(page.getByRole('timer')).toContainText(/\d\d\s*días/)
  // Her link leads to the same question as her button, and the question can be left.
  const ximena = page.getByRole('listitem').filter({ hasText: XIMENA })
  await ximena.getByRole('button', { name: 'Compartir' }).click()
  await ximena.getByRole('link', { name: 'Votar por Ximena', exact: true }).click()
  await expect(page).toHaveURL(`${votingSite.url}/misspopularidad?vote=2`)
  await expect(page.getByRole('button', { name: 'Enviarme el código' })).toBeVisible()
  await page.getByRole('link', { name: 'Cerrar' }).click()
  await expect(page).toHaveURL(`${votingSite.url}/misspopularidad`)
  await expect(page.getByRole('button', { name: 'Enviarme el código' })).toHaveCount(0)
  await ximena.getByRole('button', { name: 'Votar' }).click()
  // The form is in view, on a phone as on a large screen.
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 740 })
    await expect(page.getByRole('button', { name: 'Enviarme el código' })).toBeInViewport({ ratio: 1 })
  }
  await page.getByRole('textbox', { name: 'Correo electrónico' }).fill(email)
  await page.getByRole('button', { name: 'Enviarme el código' }).click()
  // The same form asks for another code; the newest code holds.
  await page.getByRole('button', { name: 'Pedir otro código' }).click()
  const newest = await votingSite.code(email, 2)
  await page.getByRole('textbox', { name: 'Código de seis dígitos' }).fill(newest)
  await page.getByRole('button', { name: 'Confirmar mi voto' }).click()
  await expect(page.getByText('¡Gracias! Tu voto ha sido registrado.')).toBeVisible()
  await page.goto('/misspopularidad?vote=2')
  await page.getByRole('button', { name: 'Confirmar mi voto' }).click()
  await expect(page.getByText('Ya has votado con este correo.')).toBeVisible()
  expect(await votes(votingSite)).toHaveLength(1)
  await page.close()
})

test('a code that another browser asked for opens nothing here', async ({ votingSite }) => {
  const email = `ajena${Date.now()}@correo.mx`
  const send = async (path: string, cookie: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const answer = await fetch(votingSite.url + path, { method: 'POST', headers: { cookie }, body })
    const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    return { status: answer.status, cookie: cookies.join('; ') }
  }
  const [own, other] = await Promise.all(
    [email, `otra${email}`].map((to) => send('/entrar', '', { hacer: 'pedir', correo: to })),
  )
  const code = await votingSite.code(email)
  const enter = (cookie: string) => send('/entrar', cookie, { hacer: 'codigo', correo: email, codigo: code })
  for (const stranger of ['', other!.cookie]) expect((await enter(stranger)).status).toBe(401)
  const session = await enter(own!.cookie)
  expect(session.status).toBe(200)
  expect((await send('/misspopularidad/voto', session.cookie, { vote: '1' })).status).toBe(200)
  expect(await votes(votingSite)).toHaveLength(1)
})

test('without JavaScript, unusual traffic is told what its vote lacks, and no vote is lost', async ({
  browser,
  votingSite,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: votingSite.url })
  await signInVoter(context, votingSite, `quieto${Date.now()}@yopmail.com`)
  const page = await context.newPage()
  await page.goto('/misspopularidad?vote=0')
  await page.getByRole('button', { name: 'Confirmar mi voto' }).click()
  await expect(page.getByRole('heading', { name: 'Tu voto todavía no se registró' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Hacerlo ahora' })).toHaveCount(0)
  expect(await votes(votingSite)).toEqual([])
  await context.close()
})

test('visitors meet the five in different orders, and a shared link shows her', async ({ votingSite }) => {
  const orders = new Set<string>()
  for (let visitor = 0; visitor < 25; visitor++) {
    const answer = await fetch(`${votingSite.url}/misspopularidad`)
    orders.add([...(await answer.text()).matchAll(/<button[^>]* value="(\d)"/g)].map(([, place]) => place).join(''))
    // Looking needs no cookie, as the privacy notice says.
    expect(answer.headers.getSetCookie()).toEqual([])
  }
  expect(orders.size).toBeGreaterThan(3)
  const shared = await (await fetch(`${votingSite.url}/misspopularidad?vote=3`)).text()
  expect(shared).toMatch(/og:image" content="[^"]*tarjeta-candidata-fernanda/)
  expect(shared).toMatch(/og:url" content="[^"]*\?vote=3&amp;candidata=fernanda-jacaranda-luna"/)
  // What was shared before she changed places still means her; a name of another year means no candidate of this one.
  const moved = await fetch(`${votingSite.url}/misspopularidad?vote=0&candidata=fernanda-jacaranda-luna`)
  expect(moved.url).toMatch(/\?vote=3&candidata=fernanda-jacaranda-luna$/)
  expect(await moved.text()).toContain('Vota por Fernanda')
  const stranger = await fetch(`${votingSite.url}/misspopularidad?vote=0&candidata=de-otro-anio`)
  expect(await stranger.text()).toContain('Ese enlace no es de ninguna candidata')
})

test('a program gets no further than the page: other sites, long, empty and replayed requests', async ({
  votingSite,
}) => {
  const cookie = await newVoterCookie(votingSite)
  const send = async (body: string, headers: Record<string, string> = { cookie }) => {
    const answer = await fetch(`${votingSite.url}/misspopularidad/voto`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    })
    return answer.status
  }
  expect(await send('vote=1', { cookie, origin: 'https://otro.example' })).toBe(403)
  expect(await send('vote=1', {})).toBe(401)
  expect(await send('vote=1', { cookie: cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) })).toBe(401)
  expect(await send(`vote=${'1'.repeat(10_000)}`)).toBe(413)
  for (const bad of ['', 'vote=', 'vote=-1', 'vote=5', 'vote=1&vote=2', 'vote=1e0', 'vote=%EF%BC%92', '{"vote":1}'])
    expect(await send(bad), bad).toBe(400)
  expect(await votes(votingSite)).toEqual([])
  const body = 'vote=1&intento=11111111-2222-3333-4444-555555555555'
  expect(await Promise.all(Array.from({ length: 20 }, () => send(body)))).toEqual(Array(20).fill(200))
  expect(await send('vote=2')).toBe(409)
  expect(await votes(votingSite)).toHaveLength(1)
})

test('a link with parameters added by a network is answered from memory, and votes all the same', async ({
  page,
  context,
  votingSite,
}) => {
  const link = '/misspopularidad?vote=2&fbclid=IwAR0&utm_source=feria'
  const isOwn = async (path: string, cookie = '') => {
    const { headers } = await fetch(votingSite.url + path, { headers: { cookie } })
    return headers.get('content-security-policy')?.includes("'nonce-")
  }
  expect(await isOwn(link)).toBe(false)
  for (const query of ['', '?otra=1', '?vote=-1', `?vote=${'9'.repeat(10_000)}`])
    expect(await isOwn(`/misspopularidad${query}`)).toBe(false)
  expect(await isOwn('/misspopularidad?error=google')).toBe(true)
  await page.goto(link)
  await expect(vote(page).getByRole('heading', { name: XIMENA })).toBeVisible()
  // A signed-in voter gets a page from memory, too: the shared one of signed-in voters. An ended session gets the strangers'.
  const cookie = await signInVoter(context, votingSite)
  expect(await isOwn(link, cookie)).toBe(false)
  const pageOf = async (session: string) =>
    (await fetch(`${votingSite.url}/misspopularidad?vote=2`, { headers: { cookie: session } })).text()
  expect(await pageOf(cookie)).not.toContain('Enviarme el código')
  expect(await pageOf(`${cookie}x`)).toContain('Enviarme el código')
  await page.goto(link)
  await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
  await expect(page).toHaveURL(`${votingSite.url}/misspopularidad`)
  await softStep('a receipt of the widest letters stands on its sash and before the notch', async () => {
    const code = vote(page).getByText(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/)
    await expect(code).toBeVisible()
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    const beyond = () =>
      vote(page).evaluate((dialog) => {
        const text = dialog.querySelector('p > span > span:last-child')!
        text.textContent = 'WWWW-MMMM-WWWW'
        const sash = text.parentElement!
        const { fontSize, paddingRight } = getComputedStyle(sash)
        // The notch is 0.7 of the font size deep.
        const notch = 0.7 * Number.parseFloat(fontSize) + 11.5 - Number.parseFloat(paddingRight)
        const [inner, outer] = [sash.parentElement!.getBoundingClientRect(), dialog.getBoundingClientRect()]
        return [
          text.scrollWidth - text.clientWidth,
          Math.max(0, notch),
          Math.max(0, inner.right - outer.right, outer.left - inner.left),
        ]
      })
    for (const width of [320, 360, 700, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await beyond(), `${width} px`).toEqual([0, 0, 0])
    }
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    expect(await beyond()).toEqual([0, 0, 0])
  })
})

test.describe('the organisers', () => {
  test('see the table as it changes, find a row written by hand, and end with a session', async ({
    page,
    context,
    votingSite,
  }) => {
    await page.goto('/misspopularidad-resultados')
    await expect(page.getByText('Debes iniciar sesión como administrador para ver los resultados.')).toBeVisible()
    await signInVoter(context, votingSite)
    await page.reload()
    await expect(
      page.getByText('Tu cuenta no tiene permisos de administrador. Contacta al organizador para acceso.'),
    ).toBeVisible()
    await context.clearCookies()
    await signIn(context, votingSite, 'admin')
    await page.goto('/misspopularidad-resultados')
    const table = page.getByRole('table').first()
    await expect(table.getByRole('columnheader')).toHaveText(['Candidata', 'Votos', 'Porcentaje'])
    await expect(table.getByRole('row').nth(1)).toContainText('0.0 %')
    await expect(page.getByText(/En vivo, hace \d s/)).toBeVisible()
    await castOn(votingSite, [1, 0, 2, 0, 0])
    await votingSite.sql(`insert into banda_digital_votes (user_id, candidata) values ('a mano', 'Nadie')`)
    await expect(table.getByRole('row').nth(1)).toContainText(/Ximena Agave Montaño\s*2\s*50\.0 %/)
    await expect(page.getByText(/Otros \/ inválidos: 1 · Total: 4/)).toBeVisible()
    // The leader's bar is full; the others are shares of it.
    const bars = table.locator('svg').locator('rect')
    expect(await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('width')))).toEqual([
      ...['100.0', '50.0', '0.0', '0.0', '0.0'],
    ])
    await page.getByRole('button', { name: 'Recontar ahora' }).click()
    const step = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Recuento' }) })
    await expect(step.getByText('Recuento hecho: hay diferencias.')).toBeInViewport()
    await expect(page.getByText('Un voto se escribió en la base de datos sin pasar por el sitio.')).toBeVisible()
    await expectAccessible(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Descargar resultados (CSV)' }).click(),
    ])
    const csv = await readFile(await download.path(), 'utf8')
    expect(csv).toContain('\ufeffCandidata,Votos,Porcentaje\r\n')
    expect(csv).toContain('Ximena Agave Montaño,2,50.0\r\n')
    await page.getByRole('button', { name: 'Cerrar sesión' }).click()
    await expect(page).toHaveURL(`${votingSite.url}/`)
    expect((await fetch(`${votingSite.url}/misspopularidad-resultados/vivo`)).status).toBe(403)
  })

  test.describe('while the votes cannot be read', () => {
    test.use({ expectedErrors: [[/status of 50\d/, /EventSource/, /ERR_FAILED/], { scope: 'test' }] })

    test('keep the screen, which shows no number then, and fills itself afterwards', async ({
      page,
      context,
      votingSite,
    }) => {
      await castOn(votingSite, [1, 0, 2, 0, 0])
      await signIn(context, votingSite, 'admin')
      await page.clock.install()
      const unreadable = () => votingSite.sql('alter table votos_por_hora rename to votos_por_hora_lejos')
      const readable = () => votingSite.sql('alter table if exists votos_por_hora_lejos rename to votos_por_hora')
      const table = page.getByRole('table').first()
      const total = page.getByText(/Otros \/ inválidos: 0 · Total: 3/)
      try {
        await unreadable()
        const answer = await page.goto('/misspopularidad-resultados')
        expect(answer!.status()).toBe(200)
        await expect(page.getByRole('heading', { level: 1, name: 'Resultados' })).toBeVisible()
        await expect(page.getByRole('button', { name: 'Cerrar sesión' })).toBeVisible()
        await expect(table.getByRole('row')).toHaveCount(1)
        await expect(page.getByText(/Total|%|Acta de cierre/)).toHaveCount(0)
        await expect(page.getByRole('alert')).toHaveCount(0)
        await readable()
        await expect(total).toBeVisible()
        await page.clock.runFor(3_500)
        await expect(page.getByRole('heading', { name: 'Cadena y actas' })).toBeVisible()

        // Afterwards the shown results stay, whether the server fails, answers an error, or is out of reach.
        await unreadable()
        for (const fail of ['server', 'answer', 'line'] as const) {
          let asked = 0
          await page.route('**/misspopularidad-resultados.data*', (route) => {
            asked++
            if (fail === 'server') return route.continue()
            return fail === 'line' ? route.abort() : route.fulfill({ status: 500, body: 'Algo falló.' })
          })
          await page.clock.runFor(61_000)
          await expect.poll(() => asked).toBeGreaterThan(0)
          await expect(total).toBeVisible()
          await expect(page.getByRole('heading', { name: 'Cadena y actas' })).toBeVisible()
          await page.unroute('**/misspopularidad-resultados.data*')
        }
        await readable()

        // A refused stream is requested again.
        await page.route('**/misspopularidad-resultados/vivo', (route) => route.fulfill({ status: 500, body: '' }))
        await page.reload()
        await expect(total).toBeVisible()
        await expect(page.getByText(/En vivo/)).toHaveCount(0)
        await page.unroute('**/misspopularidad-resultados/vivo')
        await page.clock.runFor(3_500)
        await expect(page.getByText(/En vivo/)).toBeVisible()

        // A stream that is held back on the way brings nothing: the results are requested long before the next reload.
        await page.route('**/misspopularidad-resultados/vivo', () => {})
        await page.reload()
        await expect(total).toBeVisible()
        let asked = 0
        await page.route('**/misspopularidad-resultados.data*', (route) => {
          asked++
          return route.continue()
        })
        await page.clock.runFor(25_000)
        await expect.poll(() => asked).toBeGreaterThanOrEqual(1)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      } finally {
        await readable()
      }
    })
  })
})

/** These tests share one site whose clock moves on from test to test; each begins without votes. */
test.describe('over the days of one vote', () => {
  let site: Site
  test.beforeAll(async () => {
    site = await Site.start({ SITE_CLOCK: '2025-09-20T12:00-06:00' })
  })
  test.beforeEach(() => clearVotes(site))
  test.afterAll(() => site.stop())

  // This test asks as a whole network, and its traces would keep other tests waiting.
  test('without JavaScript codes are fewer: a waiting voter reads until when, and the address stays', async ({
    browser,
  }) => {
    await site.at('2025-09-20T12:00-06:00')
    const ask = (at: number) =>
      fetch(`${site.url}/entrar`, {
        method: 'POST',
        body: new URLSearchParams({ hacer: 'pedir', correo: `nadie${at}@desconocida.example` }),
      })
    const statuses = await Promise.all(Array.from({ length: 60 }, async (_, at) => (await ask(at)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    const held = await ask(99)
    expect([held.status, Number(held.headers.get('retry-after')) > 0]).toEqual([428, true])

    const still = await browser.newPage({ javaScriptEnabled: false, baseURL: site.url })
    await still.goto('/misspopularidad?vote=2')
    await still.getByRole('textbox', { name: 'Correo electrónico' }).fill('sinscript@correo.mx')
    await still.getByRole('button', { name: 'Enviarme el código' }).click()
    await expect(still.getByText(/Pídelo de nuevo en \d+ segundos: tu correo se queda escrito/)).toBeVisible()
    await expect(still.getByRole('textbox', { name: 'Correo electrónico' })).toHaveValue('sinscript@correo.mx')
    await still.close()
    // With JavaScript, a visitor behind the same address does not notice.
    const page = await browser.newPage({ baseURL: site.url })
    const answers: number[] = []
    page.on('response', (answer) => {
      if (answer.url().endsWith('/entrar')) answers.push(answer.status())
    })
    const email = 'conscript@correo.mx'
    await page.goto('/misspopularidad?vote=2')
    await vote(page).getByRole('textbox', { name: 'Correo electrónico' }).fill(email)
    await vote(page).getByRole('button', { name: 'Enviarme el código' }).click()
    const code = await site.code(email)
    await vote(page).getByRole('textbox', { name: 'Código de seis dígitos' }).fill(code)
    await vote(page).getByRole('button', { name: 'Confirmar mi voto' }).click()
    await expect(vote(page).getByRole('heading')).toHaveText('¡Gracias! Tu voto ha sido registrado.')
    expect(answers).toEqual([200, 200, 200])
    await page.close()
  })

  test('the deadline passes while the page is open on a device of another year: refused with the date, and there is the winner', async ({
    page,
    context,
  }) => {
    // The last minute has begun. The countdown looks every half minute, which leaves time for the presses.
    await signInVoter(context, site)
    await site.at('2025-09-25T23:58:00.500-06:00')
    await page.clock.setFixedTime('2024-09-25T12:00:00Z')
    const code = page.waitForResponse('**/assets/vote-window-*.js')
    await page.goto(`${site.url}/misspopularidad`)
    await expect(page.getByRole('timer')).toContainText(/00\s*minutos/)
    await expect(page.getByText('Queda menos de un minuto.')).toBeVisible()
    // A pointer that came before hydration and then stands still fetches no code.
    await hydrated(page)
    const button = page.getByRole('listitem').filter({ hasText: 'Paola' }).getByRole('button', { name: 'Votar' })
    await button.hover()
    await (await code).finished()
    await site.at('2025-09-25T23:59:01-06:00')
    // Unless the countdown notices the deadline first, and takes the buttons away.
    const winner = page.getByRole('heading', { level: 1, name: 'Ximena Agave' })
    const refused = page.getByRole('dialog', { name: 'La votación ya cerró' })
    await Promise.race([button.click(), winner.waitFor()])
    await expect(refused.or(winner).first()).toBeVisible()
    if (await refused.isVisible())
      await Promise.race([refused.getByRole('button', { name: 'Cerrar' }).click(), winner.waitFor()])
    await expect(winner).toBeVisible()
    expect(await votes(site)).toEqual([])
  })

  test('after the deadline a vote is refused with the date, in the screen and by a program', async ({
    page,
    context,
  }) => {
    await site.at('2025-09-25T23:59:01-06:00')
    const cookie = await signInVoter(context, site)
    await page.goto(`${site.url}/misspopularidad?vote=2`)
    const dialog = page.getByRole('dialog', { name: 'La votación ya cerró' })
    await expect(dialog.getByText(/Cerró el jueves 25 de septiembre, 23:59/)).toBeVisible()
    await expect(page).toHaveURL(`${site.url}/misspopularidad`)
    const answer = await fetch(`${site.url}/misspopularidad/voto`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ vote: '2' }),
    })
    expect([answer.status, await answer.json()]).toEqual([403, { ok: false, reason: 'cerrada' }])
  })

  test.describe('the organisers', () => {
    test('seal the record, in which a voter finds the vote and which a command recounts; proclaim its winner, and take it back', async ({
      page,
      context,
    }, info) => {
      await site.at('2025-09-26T00:05:00-06:00')
      // With the first vote, the sample's record is no longer this site's.
      const [receipt] = await castOn(site, [1, 0, 0, 0, 0])
      await page.goto(`${site.url}/misspopularidad`)
      await expect(page.getByRole('heading', { name: 'Muy pronto sabremos quién es' })).toBeVisible()
      await page.goto(`${site.url}/misspopularidad/acta`)
      await expect(page.getByRole('heading', { name: 'El acta está por publicarse' })).toBeVisible()
      await expect(
        page.getByText('La votación cerró el jueves 25 de septiembre, 23:59, hora del centro.'),
      ).toBeVisible()
      await signIn(context, site, 'admin')
      await page.goto(`${site.url}/misspopularidad-resultados`)
      // The last votes come in by themselves; nothing is live any more.
      await castOn(site, [4, 1, 3, 0, 0])
      await expect(page.getByText('Otros / inválidos: 0 · Total: 9', { exact: true })).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Proclamación de la ganadora' })).toHaveCount(0)
      // An irreversible step needs a confirmation, even if the browser does not require the tick.
      const sure = page.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' })
      await sure.evaluate((box) => box.removeAttribute('required'))
      await page.getByRole('button', { name: 'Sellar acta de cierre' }).click()
      await expect(page.getByText('Marca que entiendes que no se puede deshacer.')).toBeInViewport()
      expect(await site.sql(`select 1 from actas where clase = 'cierre'`)).toEqual([])
      await sure.check()
      await page.getByRole('button', { name: 'Sellar acta de cierre' }).click()
      const step = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Acta de cierre' }) })
      await expect(step.getByText('El acta de cierre quedó sellada y publicada.')).toBeInViewport()
      await expect(page.getByText('Votos por hora, 25 sep, 22 h. La hora más alta tuvo 9 votos.')).toBeVisible()
      await page.getByRole('link', { name: '/misspopularidad/acta' }).click()
      await page.getByRole('textbox', { name: 'Tu recibo' }).fill(receipt!.toLowerCase())
      await page.getByRole('button', { name: 'Buscar' }).click()
      await expect(page.getByText('Tu voto por Valeria Bugambilia Olmos está en la cuenta.')).toBeVisible()
      const fingerprint = createHash('sha256').update(withHyphens(receipt!)).digest('hex')
      await expect(page.getByText(`En el archivo aparece como ${fingerprint}`)).toBeVisible()
      await expectAccessible(page)
      const file = info.outputPath('acta.json')
      const published = await fetch(`${site.url}/misspopularidad/acta.json`)
      await writeFile(file, await published.text())
      const known = { 'if-none-match': published.headers.get('etag')! }
      expect((await fetch(`${site.url}/misspopularidad/acta.json`, { headers: known })).status).toBe(304)
      const { llave: key } = await (await fetch(`${site.url}/misspopularidad/sellos.json`)).json()
      const count = (...known: string[]) =>
        spawnSync('npm', ['run', '--silent', 'escrutinio', '--', file, ...known], { encoding: 'utf8' })
      const said = count('--llave', key)
      expect(said.stdout + said.stderr).toContain('Todo coincide')
      expect(count().stdout).toContain('este archivo solo no puede probar que sea el que publicó el sitio')
      expect(said.stdout).toMatch(/Valeria Bugambilia Olmos +5/)
      await writeFile(file, (await readFile(file, 'utf8')).replace('"votos":5', '"votos":6'))
      expect(count().status).toBe(1)

      // A proclamation from the sealed record takes effect at once in every process.
      const host = encodeURIComponent(join(site.dataDir, 'postgres.sockets'))
      const other = await Site.start({
        SITE_CLOCK: '2025-09-26T00:05:00-06:00',
        SESSION_SECRET: await readOrCreateSecret(site.dataDir),
        DATABASE_URL: `postgresql://certamen@localhost/certamen?host=${host}`,
      })
      // Each order of the candidates is a separate page in memory.
      const titles = async () => {
        const pages = [site, other].flatMap(({ url }) =>
          Array.from({ length: 15 }, () => fetch(`${url}/misspopularidad`)),
        )
        const found = await Promise.all(
          pages.map(async (answer) => /<h1[^>]*>(.*?)<\/h1>/.exec(await (await answer).text())?.[1]),
        )
        return [...new Set(found)]
      }
      try {
        await page.goto(`${site.url}/misspopularidad-resultados`)
        const section = page.getByRole('region', { name: 'Proclamación de la ganadora' })
        await expect(section.getByText('Según el acta ganó Valeria Bugambilia Olmos, con 5 votos.')).toBeVisible()
        expect(await titles()).toEqual(['Ximena Agave'])

        await section.getByRole('button', { name: 'Proclamar a Valeria Bugambilia Olmos' }).click()
        await expect(page.getByText('Valeria Bugambilia Olmos ya está proclamada en Miss Popularidad.')).toBeVisible()
        expect(await titles()).toEqual(['Valeria Bugambilia'])
        await expectAccessible(page)
        await section.getByRole('textbox', { name: 'Su agradecimiento' }).fill('Gracias, Azahares querido.')
        await expect(section.getByText(/así lo puso admin.*@medio\.example/)).toBeVisible()
        // The page's message does not change, so the answer is waited for.
        await Promise.all([
          page.waitForResponse((answer) => answer.request().method() === 'POST'),
          section.getByRole('button', { name: 'Guardar la proclamación' }).click(),
        ])
        await page.goto(`${other.url}/misspopularidad`)
        await expect(page.getByText('Gracias, Azahares querido.')).toBeVisible()
        await expect(page.getByText('doña Chuy')).toHaveCount(0)

        await page.goto(`${site.url}/misspopularidad-resultados`)
        await section.getByRole('button', { name: /^Retirar la proclamación/ }).click()
        await expect(page.getByText('La proclamación quedó retirada.')).toBeVisible()
        expect(await titles()).toEqual(['Ximena Agave'])
        await page.goto(`${site.url}/organizadores/bitacora?clase=Ajustes`)
        await expect(page.getByText('Cambió a quién se proclama ganadora')).toHaveCount(3)
      } finally {
        await page.goto('about:blank')
        await other.stop()
      }
    })

    test('are told of a tie, and decide it themselves', async ({ page, context }) => {
      await site.at('2025-09-26T00:05:00-06:00')
      await castOn(site, [2, 1, 0, 2, 0])
      await signIn(context, site, 'admin')
      await page.goto(`${site.url}/misspopularidad-resultados`)
      await page.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' }).check()
      await page.getByRole('button', { name: 'Sellar acta de cierre' }).click()
      const section = page.getByRole('region', { name: 'Proclamación de la ganadora' })
      await expect(
        section.getByText(/hay empate en el primer lugar, con 2 votos cada una: Valeria .*, Fernanda/),
      ).toBeVisible()
      const choice = section.getByRole('combobox', { name: 'Ganadora, por decisión del comité' })
      await expect(choice.getByRole('option')).toHaveText([
        'Elige…',
        'Valeria Bugambilia Olmos',
        'Fernanda Jacaranda Luna',
      ])
      await choice.selectOption('Fernanda Jacaranda Luna')
      await section.getByRole('button', { name: 'Proclamar a la elegida' }).click()
      await expect(page.getByText('Fernanda Jacaranda Luna ya está proclamada en Miss Popularidad.')).toBeVisible()
      await page.goto(`${site.url}/misspopularidad`)
      await expect(page.getByRole('heading', { level: 1, name: 'Fernanda Jacaranda' })).toBeVisible()
    })
  })
})
