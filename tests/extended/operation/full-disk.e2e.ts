import { statfs } from 'node:fs/promises'
import { PASSWORD, signedIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

test('at the disk’s reserve no registration is taken, and the organisers are told and can make room', async ({
  page,
}) => {
  test.setTimeout(90_000)
  const { bavail, bsize } = await statfs('.')
  // The reserve is larger than the free space, so that any upload would go below it.
  const site = await Site.start({
    DISK_FLOOR: `${Math.ceil((bavail * bsize) / 1024 ** 3) + 50}GB`,
    SITE_CLOCK: '2025-08-01T12:00:00-06:00',
  })
  try {
    const [id] = await sow(site, [{ titular: 'Relleno', createdAt: new Date('2025-08-01T12:00:00-06:00') }])

    // A full disk is said before the form is filled in.
    for (const path of ['/registro', '/registro-traje-tipico']) {
      await page.goto(`${site.url}${path}`)
      await expect(page.getByRole('heading', { name: /^Por ahora no podemos recibir registros/ })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Enviar Registro' })).toHaveCount(0)
    }

    // Signing in writes to the disk, and so does opening a document.
    const { correo } = await signedIn(site, 'admin')
    await page.goto(`${site.url}/organizadores`)
    await page.getByLabel('Correo Electrónico').fill(correo)
    await page.getByLabel('Contraseña').fill(PASSWORD)
    await page.getByRole('button', { name: 'Iniciar sesión' }).click()
    await expect(
      page.getByText(/^El disco está lleno: quedan .* No recibe registros\. Borra las inscripciones/),
    ).toBeVisible()
    await page.goto(`${site.url}/organizadores/varias?hacer=borrar&id=${id}`)
    await page.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' }).check()
    await page.getByRole('button', { name: 'Borrar las elegidas' }).click()
    await expect(page.getByText('Se borró una inscripción.')).toBeVisible()

    // The mail goes to the first administrator, whom the start created.
    const written = async () => (await site.mails('organizacion@certamen.local')).join('')
    await expect.poll(written, { timeout: 15_000 }).toContain('se le acaba el disco')
  } finally {
    await site.stop()
  }
})

test('the panel reports a proxy that the settings do not count', async ({ page, site }) => {
  const { name, value } = await signedIn(site, 'admin')
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await page.request.get('/organizadores', { headers: { cookie: `${name}=${value}`, ...headers } })
    return answer.text()
  }
  const said = 'Las visitas llegan a través de un servidor intermedio'
  expect(await ask({ 'x-forwarded-for': '198.51.100.9' })).toContain(said)
  expect(await ask()).not.toContain(said)
})
