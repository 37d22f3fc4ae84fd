import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { expectAccessible } from '../../e2e/accessible.ts'
import { PASSWORD, servicesOn, signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { castVoteWithWork, voter } from '../../support/voting/votes.ts'

test.use({ expectedErrors: [[/status of (400|401)/], { scope: 'test' }] })

/** An afternoon of the vote: the town, and an attacker with a mail domain and a list of disposable addresses. */
const afternoon = (site: Site) =>
  servicesOn(site, async (services) => {
    let now = new Date('2025-09-20T14:05:00-06:00')
    const voting = createVoting({ ...services, clock: { now: () => now } })
    for (const [hour, stuffed] of [0, 10, 20, 0, 20].entries()) {
      now = new Date(Date.parse('2025-09-20T14:05:00-06:00') + hour * 3_600_000)
      for (let at = 0; at < 8; at++) await castVoteWithWork(voting, at % 5)
      for (let at = 0; at < stuffed; at++) await castVoteWithWork(voting, 4, voter(`voto@s${hour}-${at}.primo.com.mx`))
    }
    for (let at = 0; at < 3; at++) await castVoteWithWork(voting, 4, voter(`x${at}@yopmail.com`))
  })

test('organisers see the origin of an attack, and annul it whole, without knowing the candidate', async ({
  page,
  context,
}, info) => {
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T19:30-06:00' })
  try {
    await afternoon(site)
    // The rules are public.
    await page.goto(`${site.url}/misspopularidad/acta`)
    const rules = page.getByRole('region', { name: 'Reglas de esta votación' })
    await expect(rules.getByText('Correos de un mismo dominio propio, en toda la edición')).toBeVisible()
    await expect(rules.getByText('4 votos').first()).toBeVisible()

    await signIn(context, site, 'admin')
    await page.goto(`${site.url}/misspopularidad-resultados`)
    const section = page.getByRole('region', { name: 'Orígenes marcados' })
    const origin = section.getByRole('listitem').filter({
      has: page.getByRole('heading', { name: 'Correos de primo.com.mx' }),
    })
    /** Takes a picture of the section as it stands on the page, without floating elements. */
    const shoot = async (name: string) => {
      const clip = await section.evaluate((one) => {
        const { x, y, width, height } = one.getBoundingClientRect()
        return { x: x + scrollX, y: y + scrollY, width, height }
      })
      await page.screenshot({ path: info.outputPath(`${name}.png`), fullPage: true, clip })
    }
    await expect(async () => {
      await page.reload()
      await expect(origin.getByText('50 votos', { exact: true })).toBeVisible({ timeout: 1_000 })
    }).toPass()
    await expect(origin.getByText(/Pasó de 4 votos en toda la edición/)).toBeVisible()
    await expect(origin.getByText(/la hora más alta, .* con 20 votos/)).toBeVisible()
    await expect(section.getByRole('heading', { name: 'Correos desechables' })).toBeVisible()
    await expect(section.getByText(/Colorín|Agave|Bugambilia/)).toHaveCount(0)
    await expect(page.getByText(/Bajo sospecha, contados: 53/)).toBeVisible()

    await origin.getByText('Anular: correos de primo.com.mx…').click()
    await expect(origin.getByText(/Saldrán 50 votos de la cuenta/)).toBeVisible()
    const reason = origin.getByRole('textbox', { name: 'Motivo (se publica)' })
    await reason.fill('Un solo dominio con cincuenta buzones.')
    for (const [width, height] of [
      [390, 844],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expectNoSidewaysScroll(page)
      await shoot(`ataque-${width}`)
    }
    await expectAccessible(page)
    const sure = origin.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' })
    await sure.evaluate((box) => box.removeAttribute('required'))
    await origin.getByRole('button', { name: 'Anular 50 votos' }).click()
    await expect(section.getByText('Marca que entiendes que no se puede deshacer.')).toBeVisible()
    await expect(reason).toHaveValue('Un solo dominio con cincuenta buzones.')
    await sure.check()
    // An unattended session is not enough to annul votes.
    await site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)
    await origin.getByRole('button', { name: 'Anular 50 votos' }).click()
    await page
      .getByRole('region', { name: 'Confirma que eres tú' })
      .getByLabel('Contraseña', { exact: true })
      .fill(PASSWORD)
    await page.getByRole('button', { name: 'Confirmar y continuar' }).click()
    await expect(section.getByText('Los votos quedaron anulados.')).toBeInViewport()
    await expect(origin.getByText('todos anulados')).toBeVisible()
    await expect(section.getByText(/50 votos anulados\. Un solo dominio con cincuenta buzones\./)).toBeVisible()
    await expect(page.getByText(/Bajo sospecha, contados: 3 · Anulados, fuera de la cuenta: 50/)).toBeVisible()
    await shoot('anulado-1440')
    await page.setViewportSize({ width: 390, height: 844 })
    await shoot('anulado-390')
  } finally {
    await page.goto('about:blank')
    await site.stop()
  }
})

test('of a burst organisers annul the votes with another flag, and leave the rest; an hour that leaps is shown', async ({
  page,
  context,
}) => {
  const site = await Site.start({ SITE_CLOCK: '2025-09-20T19:30-06:00' })
  try {
    await servicesOn(site, async (services) => {
      let now = new Date('2025-09-20T13:05:00-06:00')
      const voting = createVoting({ ...services, clock: { now: () => now } })
      for (let at = 0; at < 60; at++) await castVoteWithWork(voting, at % 5)
      now = new Date('2025-09-20T16:05:00-06:00')
      const school = (email: string, at: number) => castVoteWithWork(voting, 4, voter(email, `148.202.7.${at % 200}`))
      for (let at = 0; at < 301; at++) await school(`alumna${at}@gmail.com`, at)
      for (let at = 0; at < 34; at++) await school(`alias${at}@duck.com`, at)
    })
    await site.sql(`insert into profiles (id, email, name)
      select user_id, substr(user_id, 8), '' from banda_digital_votes where edicion = 2025`)
    await signIn(context, site, 'admin')
    const section = page.getByRole('region', { name: 'Orígenes marcados' })
    const burst = section
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: /^Ráfaga desde la red/ }) })
    await expect(async () => {
      await page.goto(`${site.url}/misspopularidad-resultados`)
      await expect(burst.getByText('335 votos', { exact: true })).toBeVisible({ timeout: 1_000 })
    }).toPass()
    await expect(burst.getByText('De los que cuentan, 301 no tienen ninguna otra marca y 34 sí.')).toBeVisible()
    await expect(section.getByText('Todos los que cuentan tienen también otra marca.')).toBeVisible()
    const bursts = page.getByRole('region', { name: 'Ráfagas por red y dominio' })
    await expect(
      bursts.getByText(/^Servicios de alias, en la hora del 20 sep, 16:00 h: 34 de 335 votos; lo usual serían 0\.$/),
    ).toBeVisible()

    await burst.getByText(/^Anular: ráfaga/).click()
    await burst.getByRole('textbox', { name: 'Motivo (se publica)' }).fill('Una sola cuenta con muchas direcciones.')
    await burst.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' }).check()
    await burst.getByRole('button', { name: 'Anular sólo 34, con otra marca' }).click()
    await expect(section.getByText('Los votos quedaron anulados.')).toBeVisible()
    await expect(burst.getByText('34 votos anulados')).toBeVisible()
    await expect(burst.getByText('Ninguno de los que cuentan tiene otra marca.')).toBeVisible()
    await expect(page.getByText(/Bajo sospecha, contados: 301 · Anulados, fuera de la cuenta: 34/)).toBeVisible()
    await expect(burst.getByRole('button', { name: 'Anular 301 votos' })).toBeVisible()
    await expect(burst.getByRole('button', { name: /con otra marca/ })).toHaveCount(0)
  } finally {
    await page.goto('about:blank')
    await site.stop()
  }
})
