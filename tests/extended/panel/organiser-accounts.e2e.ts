import type { BrowserContext, Page } from '@playwright/test'
import { PASSWORD, servicesOn, signedIn } from '../../e2e/accounts.ts'
import { look } from '../../e2e/look-at-screen.ts'
import { expect, type Site, test } from '../../e2e/site.ts'
import { seedEntry } from '../../support/entries/seeded-entries.ts'
import { decryptMail } from '../../support/mail/decrypted-mail.ts'

test.use({ expectedErrors: [[/status of (400|401|422|429)/], { scope: 'test' }] })

/** Signs a new organiser in, in this browser. */
async function enter(context: BrowserContext, site: Site) {
  const { correo, name, value } = await signedIn(site, 'admin')
  await context.addCookies([{ name, value, url: site.url }])
  return correo
}
/** Makes the last confirmation of the password a quarter of an hour old. */
const later = (site: Site) => site.sql(`update sessions set confirmada_at = now() - interval '15 minutes'`)

const question = (page: Page) => page.getByRole('region', { name: 'Confirma que eres tú' })

test('a dangerous action asks for the password again after ten minutes, and keeps the typed text', async ({
  page,
  context,
  site,
}, info) => {
  await enter(context, site)
  await page.goto('/organizadores/personas')
  const form = page.getByRole('form', { name: 'Acreditar a un medio' })
  await form.getByRole('textbox', { name: 'Medio', exact: true }).fill('Radio Nopal')
  await form.getByRole('textbox', { name: 'Correo del medio' }).fill(`radio${Date.now()}@medio.example`)
  await later(site)
  await form.getByRole('button', { name: 'Acreditar' }).click()
  await expect(question(page)).toBeVisible()
  expect(await site.sql(`select 1 from profiles where medio = 'Radio Nopal'`)).toEqual([])
  await look(page, info, 'confirmar')
  const password = question(page).getByLabel('Contraseña', { exact: true })
  await password.fill('no es ésta')
  await question(page).getByRole('button', { name: 'Confirmar y continuar' }).click()
  await expect(question(page).getByText('Esa no es tu contraseña. Escríbela de nuevo.')).toBeVisible()
  await password.fill(PASSWORD)
  await question(page).getByRole('button', { name: 'Confirmar y continuar' }).click()
  await expect(page.getByText(/Radio Nopal queda acreditado/)).toBeVisible()
  expect(await site.sql(`select 1 from profiles where medio = 'Radio Nopal'`)).toHaveLength(1)
  // The form is reset once the list has the account; typing has to wait.
  await expect(page.getByRole('listitem').filter({ hasText: 'Radio Nopal' })).toBeVisible()
  // The confirmation counts for the next ten minutes.
  await form.getByRole('textbox', { name: 'Medio', exact: true }).fill('Radio Palma')
  await form.getByRole('textbox', { name: 'Correo del medio' }).fill(`palma${Date.now()}@medio.example`)
  await form.getByRole('button', { name: 'Acreditar' }).click()
  await expect(page.getByText(/Radio Palma queda acreditado/)).toBeVisible()
})

test('without JavaScript the question is a form, too; documents in a ZIP wait behind it', async ({ browser, site }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: site.url })
  const page = await context.newPage()
  await enter(context, site)
  const id = await servicesOn(site, (services) => seedEntry(services, {}))
  await page.goto(`/organizadores/inscripciones/${id}`)
  await later(site)
  await page.getByRole('button', { name: /ZIP/ }).first().click()
  await expect(question(page)).toBeVisible()
  const download = page.waitForEvent('download')
  await question(page).getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
  await question(page).getByRole('button', { name: 'Confirmar y continuar' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.zip$/)
  await site.sql('delete from inscripciones where id = $1', [id])
  await context.close()
})

test('a program with a session of a quarter of an hour ago gets no ZIP, no original, and changes nothing', async ({
  site,
}) => {
  const { correo, name, value } = await signedIn(site, 'admin')
  const other = await signedIn(site, 'admin')
  await later(site)
  const headers = { cookie: `${name}=${value}` }
  const zip = await fetch(`${site.url}/organizadores/exportar?formato=zip`, { headers, redirect: 'manual' })
  expect([zip.status, zip.headers.get('location')]).toEqual([
    302,
    '/organizadores/confirmar?ir=%2Forganizadores%2Fexportar%3Fformato%3Dzip',
  ])
  const list = await fetch(`${site.url}/organizadores/exportar?formato=csv`, { headers })
  expect(list.status).toBe(200)
  for (const [path, body] of [
    ['/organizadores/personas', { hacer: 'retirar', correo: other.correo }],
    ['/misspopularidad-resultados', { hacer: 'cerrar', seguro: 'on' }],
    ['/organizadores/cuenta', { hacer: 'correo', nuevo: 'primo@medio.example' }],
  ] as const) {
    const answer = await fetch(site.url + path, { method: 'POST', headers, body: new URLSearchParams({ ...body }) })
    expect(answer.status, path).toBe(401)
    expect(await answer.text(), path).toContain('Confirma que eres tú')
  }
  expect(await site.sql('select 1 from bajas')).toEqual([])
  // The next address can only be a path of this site.
  const away = await fetch(`${site.url}/organizadores/confirmar?ir=https://otro.example/`, {
    method: 'POST',
    headers,
    redirect: 'manual',
    body: new URLSearchParams({ confirmo: PASSWORD }),
  })
  expect(away.headers.get('location')).toBe('/organizadores')
  expect(correo).not.toBe(other.correo)
})

test('an organiser is withdrawn after a day, and any other stops it', async ({ page, context, site }, info) => {
  await enter(context, site)
  const other = await signedIn(site, 'admin')
  await page.goto('/organizadores/personas')
  const account = page.getByRole('listitem').filter({ hasText: other.correo })
  await account.getByText('Dar de baja', { exact: true }).click()
  await expect(account.getByText(/Dentro de 24 horas deja de entrar/)).toBeVisible()
  await account.getByRole('button', { name: `Sí, dar de baja a ${other.correo}` }).click()
  await expect(page.getByText(/quedará de baja el .* Hasta entonces cualquiera/)).toBeVisible()
  await expect(account.getByText(/pidió su baja: surte efecto el/)).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  await account.scrollIntoViewIfNeeded()
  await page.screenshot({ path: info.outputPath('baja-360.png') })
  // The other organiser can still sign in, and gets a mail.
  const told = () =>
    servicesOn(site, async ({ db, keyed }) => {
      const rows = await db.selectFrom('correos').selectAll().where('recipient', '=', other.correo).execute()
      return rows.map((row) => decryptMail(row, keyed).text).filter((text) => text.includes('Pidió dar de baja')).length
    })
  await expect.poll(told).toBe(1)
  await context.clearCookies()
  await context.addCookies([{ name: other.name, value: other.value, url: site.url }])
  await page.goto('/organizadores/personas')
  const own = page.getByRole('listitem').filter({ hasText: other.correo })
  await own.getByRole('button', { name: 'Detener la baja' }).click()
  await expect(page.getByText(`la baja de ${other.correo} quedó detenida`)).toBeVisible()
  await expect(own.getByText(/pidió su baja/)).toHaveCount(0)
})

test('a forgotten password is set anew by a link; «Mi cuenta» shows the sessions', async ({
  page,
  context,
  site,
}, info) => {
  const { correo } = await signedIn(site, 'admin')
  await page.goto('/organizadores')
  await page.getByRole('link', { name: '¿Olvidaste tu contraseña?' }).click()
  await page.getByRole('textbox', { name: 'Correo electrónico' }).fill('nadie')
  await page.getByRole('button', { name: 'Enviarme el enlace' }).click()
  await expect(page.getByText(/Escribe tu correo completo/)).toBeVisible()
  await page.getByRole('textbox', { name: 'Correo electrónico' }).fill(correo)
  await page.getByRole('button', { name: 'Enviarme el enlace' }).click()
  await expect(page.getByText(/Este sitio todavía no manda correos/)).toBeVisible()
  const link = /http\S+llave=[\w-]+/.exec(await site.mail(correo, 'recuperacion'))![0]
  await page.goto(link)
  await page.getByLabel('Contraseña nueva').fill('otra-frase-azul-91')
  await page.getByLabel('Escríbela otra vez').fill('otra-frase-azul-91')
  await page.getByRole('button', { name: 'Guardar contraseña' }).click()
  await page.getByLabel('Correo Electrónico').fill(correo)
  await page.getByLabel('Contraseña', { exact: true }).fill('otra-frase-azul-91')
  await page.getByRole('button', { name: 'Iniciar sesión' }).click()
  await page.getByRole('link', { name: 'Mi cuenta' }).click()
  await expect(page.getByText(/^Ésta, desde el/)).toBeVisible()
  await look(page, info, 'cuenta')
  // The new address gets the code that confirms it.
  const newOne = `nueva${Date.now()}@medio.example`
  await page.getByRole('textbox', { name: 'Correo nuevo' }).fill(newOne)
  await page.getByRole('button', { name: 'Mandarle un código' }).click()
  const code = /(\d{6}) confirma/.exec(await site.mail(newOne, 'cambio'))![1]!
  await page.getByRole('textbox', { name: `Código que llegó a ${newOne}` }).fill(code)
  await page.getByRole('button', { name: 'Cambiar mi correo' }).click()
  await expect(page.getByRole('button', { name: 'Iniciar sesión' })).toBeVisible()
  expect(await site.sql('select 1 from profiles where email = $1', [newOne])).toHaveLength(1)
  await context.clearCookies()
})

test('without mail the password is changed in «Mi cuenta», by the current one', async ({
  page,
  context,
  site,
}, info) => {
  const own = await signedIn(site, 'admin')
  await context.addCookies([{ name: own.name, value: own.value, url: site.url }])
  await page.setViewportSize({ width: 390, height: 844 })
  // «Personas» has no link for one’s own account, and says where to go.
  await page.goto('/organizadores/personas')
  const account = page.getByRole('listitem').filter({ hasText: own.correo })
  await account.getByRole('button', { name: 'Mandar enlace de contraseña' }).click()
  await expect(page.getByRole('alert')).toContainText('Cambia tu contraseña en «Mi cuenta»')
  await page.goto('/organizadores/cuenta')
  const form = page.getByRole('form', { name: 'Contraseña' })
  const change = async (current: string, next: string) => {
    await form.getByLabel('Contraseña de ahora').fill(current)
    await form.getByLabel('Contraseña nueva').fill(next)
    await form.getByLabel('Escríbela otra vez').fill(next)
    await form.getByRole('button', { name: 'Cambiar mi contraseña' }).click()
  }
  await expect(form.getByLabel('Contraseña de ahora')).toBeInViewport()
  await change(PASSWORD, 'certamen2025')
  await expect(form.getByLabel('Contraseña nueva')).toBeFocused()
  await expect(form.getByLabel('Contraseña nueva')).toHaveAccessibleDescription(/^Esa contraseña se adivina/)
  await expect(page.getByRole('alert')).toHaveCount(1)
  await change('no es la de ahora', 'otra-frase-azul-91')
  await expect(form.getByLabel('Contraseña de ahora')).toBeFocused()
  await expect(form.getByLabel('Contraseña de ahora')).toHaveAccessibleDescription(/^Esa no es tu contraseña/)
  await form.getByLabel('Ver contraseña').check()
  await expect(form.getByLabel('Contraseña nueva')).toHaveAttribute('type', 'text')
  await look(page, info, 'contrasena')
  await change(PASSWORD, 'otra-frase-azul-91')
  await expect(page.getByText(/tu contraseña quedó guardada/)).toBeVisible()
  expect(
    await site.sql('select 1 from sessions where user_id = (select id from profiles where email = $1)', [own.correo]),
  ).toEqual([])
  await page.getByLabel('Correo Electrónico').fill(own.correo)
  await page.getByLabel('Contraseña', { exact: true }).fill('otra-frase-azul-91')
  await page.getByRole('button', { name: 'Iniciar sesión' }).click()
  await expect(page.getByRole('button', { name: 'Iniciar sesión' })).toHaveCount(0)
  expect(
    await site.sql(
      `select 1 from bitacora join profiles on profiles.id = bitacora.cuenta::text
       where que = 'cuenta.clave' and email = $1 and quien = profiles.id`,
      [own.correo],
    ),
  ).toHaveLength(1)
})

test('an organiser whom others’ wrong passwords keep waiting gets a link, and enters with the same password', async ({
  page,
  site,
}, info) => {
  const { correo } = await signedIn(site, 'admin')
  const knock = async (password: string) => {
    await page.getByLabel('Correo Electrónico').fill(correo)
    await page.getByLabel('Contraseña', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Iniciar sesión' }).click()
  }
  await page.goto('/organizadores')
  await knock('esta no es la mía')
  await expect(page.getByText('Credenciales incorrectas')).toBeVisible()
  await site.sql(`update intentos set cuenta = 9, libre_at = now() + interval '10 minutes'
    where rastro = (select rastro from intentos order by ultimo_at desc limit 1)`)
  await knock(PASSWORD)
  await expect(page.getByText(/espera 10 minutos/)).toBeVisible()
  await look(page, info, 'espera')
  await page.getByRole('link', { name: 'Pide por correo un enlace para entrar sin esperar' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('¿Olvidaste tu contraseña?')
  await page.getByRole('textbox', { name: 'Correo electrónico' }).fill(correo)
  await page.getByRole('button', { name: 'Enlace para entrar sin esperar' }).click()
  await expect(page.getByText(/Este sitio todavía no manda correos/)).toBeVisible()
  await page.goto(/http\S+paso\?llave=[\w.-]+/.exec(await site.mail(correo, 'paso'))![0])
  await expect(page).toHaveURL(`${site.url}/medios/paso`)
  await look(page, info, 'paso')
  await page.getByRole('button', { name: 'Ir a escribir mi contraseña' }).click()
  await knock(PASSWORD)
  await expect(page.getByRole('link', { name: 'Mi cuenta' })).toBeVisible()
})

test('the day’s mail: how much went out, how much the provider takes, and how much is left', async ({
  page,
  context,
  site,
}, info) => {
  await enter(context, site)
  await page.goto('/organizadores/edicion')
  const form = page.getByRole('form', { name: 'Correo' })
  await expect(form.getByText(/En las últimas 24 horas: \d+ códigos/)).toBeVisible()
  const quota = form.getByLabel('Mensajes que tu proveedor de correo deja enviar en un día')
  await quota.fill('5000')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await expect(form.getByText(/^Quedan [\d,]+ de 5,000: hasta [\d,]+ códigos más/)).toBeVisible()
  await look(page, info, 'cuota')
  await quota.fill('')
  await form.getByRole('button', { name: 'Guardar' }).click()
  await expect(form.getByText(/Si escribes cuántos mensajes admite tu proveedor/)).toBeVisible()
  await expect(quota).toHaveValue('')
})
