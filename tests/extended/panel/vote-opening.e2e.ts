import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn, signInVoter } from '../../e2e/accounts.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test('a vote with an opening is announced before it, opens by itself on a page that stands open, and its opening stays', async ({
  page,
  browser,
  expectedErrors,
}) => {
  expectedErrors.push(/422/, /403/)
  const site = await Site.start({ SITE_CLOCK: '2025-09-14T12:00-06:00' })
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, baseURL: site.url })
  const visitor = await context.newPage()
  const certamen = async (opening: string, said: RegExp | string) => {
    await page.goto(`${site.url}/organizadores/sitio/certamen`)
    await hydrated(page)
    const field = page.getByLabel('Abre la votación (opcional)')
    await field.fill(opening)
    await field.blur()
    await expect(page.getByText(said).first()).toBeVisible()
  }
  const publish = async () => {
    await page.goto(`${site.url}/organizadores/sitio/publicar`)
    await hydrated(page)
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\. Ya lo ve quien visita el sitio/)).toBeVisible()
  }
  try {
    await signIn(page.context(), site, 'admin')
    await certamen('2025-09-26T10:00', 'Debe ser antes de «Cierra la votación»: cambia una de las dos.')
    await certamen('2025-09-15T10:00', /^Guardado a las \d\d:\d\d$/)
    await publish()
    await page.goto(`${site.url}/organizadores/edicion`)
    await expect(page.getByText(/^Abre el 15 de septiembre de 2025 a las 10:00/)).toBeVisible()

    await visitor.goto('/')
    await expect(visitor.getByRole('main').getByRole('link', { name: 'Conoce a las candidatas' }).first()).toBeVisible()
    await visitor.goto('/candidatas')
    await hydrated(visitor)
    await expect(visitor.getByRole('link', { name: /^Votar/ })).toHaveCount(0)
    const cookie = await signInVoter(context, site)
    // A link to the vote spends nothing, and a request of a program neither.
    await visitor.goto('/misspopularidad?vote=2')
    const notYet = visitor.getByRole('dialog', { name: 'La votación todavía no abre' })
    await expect(notYet).toContainText(
      'Abre el lunes 15 de septiembre, 10:00, hora del centro. Tu voto sigue sin usarse.',
    )
    const answer = await fetch(`${site.url}/misspopularidad/voto`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ vote: '2' }),
    })
    expect([answer.status, await answer.json()]).toEqual([403, { ok: false, reason: 'antes' }])
    // Nor does a form that is sent without JavaScript.
    const form = await fetch(`${site.url}/misspopularidad`, {
      method: 'POST',
      headers: { cookie, origin: site.url },
      body: new URLSearchParams({ hacer: 'votar', vote: '2' }),
    })
    expect(await form.text()).toContain('La votación todavía no abre')
    await notYet.getByRole('button', { name: 'Cerrar' }).click()
    await expect(visitor.getByText('La votación abre el lunes 15 de septiembre, 10:00, hora del centro')).toBeVisible()
    await expect(visitor.getByRole('timer', { name: 'Tiempo para que abra la votación' })).toBeVisible()
    await expect(visitor.getByRole('button', { name: /^Votar|^Compartir/ })).toHaveCount(0)
    await expect(visitor.getByRole('heading', { level: 2, name: /Valeria/ })).toBeVisible()
    await expectAccessible(visitor)
    expect(await site.sql('select 1 from actas')).toEqual([])

    // A day later both sessions have ended.
    await site.at('2025-09-15T09:59:40-06:00')
    await signInVoter(context, site)
    await signIn(page.context(), site, 'admin')
    await visitor.goto('/misspopularidad')
    await expect(visitor.getByText('Queda menos de un minuto.')).toBeVisible()
    // The page looks every half minute.
    await expect(visitor.getByRole('button', { name: /^Votar por/ })).toHaveCount(5, { timeout: 75_000 })
    await expect(visitor.getByText(/^Cierra el jueves 25 de septiembre/)).toBeVisible()
    await visitor
      .getByRole('listitem')
      .filter({ hasText: 'Ximena' })
      .getByRole('button', { name: /^Votar/ })
      .click()
    await expect(visitor.getByRole('heading', { name: '¡Gracias! Tu voto ha sido registrado.' })).toBeVisible()
    expect(await site.sql(`select contenido::json ->> 'abre' as abre from actas where clase = 'apertura'`)).toEqual([
      { abre: '2025-09-15T16:00:00.000Z' },
    ])

    await certamen('2025-09-15T11:00', /^Guardado a las \d\d:\d\d$/)
    await page.goto(`${site.url}/organizadores/sitio/publicar`)
    await expect(
      page.getByText(/su apertura no se mueve: regresa «Abre la votación» al lunes 15 de septiembre, 10:00/),
    ).toBeVisible()
    await expect(page.getByRole('button', { name: 'Publicar' })).toBeDisabled()
  } finally {
    await page.goto('about:blank')
    await context.close()
    await site.stop()
  }
})
