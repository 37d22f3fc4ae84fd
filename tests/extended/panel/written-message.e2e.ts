import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

/** The appointment is at ten in the morning of this day, three weeks from now. */
const DAY = new Date(Date.now() + 21 * 86_400_000).toISOString().slice(0, 10)

for (const width of [390, 1440])
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height: 844 } })

    test('all of a list get a message with an appointment, by mail or by telephone, and see it with their folio', async ({
      page,
      context,
      site,
      expectedErrors,
    }) => {
      expectedErrors.push(/422/)
      const [ana] = await sow(site, [
        { titular: `Ana Citada ${width}`, correo: `ana${width}@ejemplo.mx` },
        { titular: `Iris Citada ${width}`, celular: '33 1234 5678', mayUseWhatsApp: true },
      ])
      const [eva] = await sow(site, [{ titular: `Eva Incompleta ${width}` }])
      await site.sql(`update inscripciones set estado = 'falta-documento' where id = $1`, [eva])
      await signIn(context, site, 'revision')
      await page.goto('/organizadores/mensajes')
      await page.getByRole('link', { name: 'A quienes les falta un documento' }).click()
      await hydrated(page)
      await page.getByLabel('Elegir todas', { exact: true }).check()
      await page.getByRole('button', { name: 'Escribirles un mensaje' }).click()
      await expect(page.getByLabel('Asunto')).toHaveValue('Falta un documento de tu registro')
      await expect(page.getByLabel('Mensaje')).toHaveValue(/\{documentos\}/)
      await page.goto('/organizadores/mensajes')
      await page.getByRole('link', { name: 'Escribir a varias personas' }).click()
      await expect(page.getByText('Marca a quiénes les escribes')).toBeVisible()
      await page.goto(`/organizadores?buscar=citada+${width}`)
      await hydrated(page)
      const write = page.getByRole('button', { name: 'Escribirles un mensaje' })
      await expect(write).toBeHidden()
      await page.getByLabel('Elegir todas', { exact: true }).check()
      await expect(page.getByLabel(`Elegir Iris Citada ${width}`)).toBeChecked()
      await page.getByText('Varias a la vez').click()
      await expect(page.getByText('Marca en la lista las que quieras.')).toBeHidden()
      await page.keyboard.press('Escape')
      await write.click()
      await page.getByLabel('Asunto').fill('Te esperamos, {nombre}')
      await page.getByLabel('Mensaje').fill('Trae tu acta, {apodo}.')
      await page.getByLabel('Día').fill(DAY)
      await page.getByLabel('Hora').fill('10:00')
      await page.getByLabel('Lugar').fill('Casa de la Cultura')
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByRole('button', { name: 'Ver cómo llega' }).click()
      await expect(page.getByText('{apodo} no es un dato que se pueda poner.').first()).toBeVisible()
      await expect(page.getByLabel('Lugar')).toHaveValue('Casa de la Cultura')
      await page.getByLabel('Mensaje').fill('Trae tu acta, .')
      await page.keyboard.press('ArrowLeft')
      // A date takes no placeholder: the button writes where the message was left.
      await page.getByLabel('Día').focus()
      await page.getByRole('button', { name: 'su nombre de pila' }).click()
      await expect(page.getByLabel('Mensaje')).toHaveValue('Trae tu acta, {nombre}.')
      await expect(page.getByLabel('Mensaje')).toBeFocused()
      await page.getByRole('button', { name: 'Ver cómo llega' }).click()
      await expect(page.getByRole('heading', { name: '¿Mandar el mensaje a 2 personas?' })).toBeVisible()
      await expect(page.getByText(/^Cita: el .* a las 10 a\.m\., en Casa de la Cultura$/)).toBeVisible()
      const letter = page.frameLocator('iframe')
      await expect(letter.getByText('Trae tu acta, Ana.', { exact: true })).toBeVisible()
      await expect(letter.getByText(/Tienes una cita .* Lugar: Casa de la Cultura\./)).toBeVisible()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByRole('button', { name: 'Mandar el mensaje' }).click()

      await expect(page.getByRole('heading', { level: 1, name: 'Te esperamos' })).toBeVisible()
      await expect(page.getByText(/^Listo: la cita quedó para el .*, en Casa de la Cultura\./)).toBeVisible()
      await expect(page.getByRole('link', { name: 'Llamar al 33 1234 5678' })).toBeVisible()
      await expect(page.getByRole('link', { name: `Escribirle por WhatsApp a Iris Citada ${width}` })).toHaveAttribute(
        'href',
        /^https:\/\/wa\.me\/523312345678\?text=Trae%20tu%20acta%2C%20Iris/,
      )
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.goto('/organizadores/mensajes')
      await expect(page.getByText('A 2 personas').first()).toBeVisible()
      await page.goto(`/organizadores/inscripciones/${ana}`)
      await hydrated(page)
      if (width < 900) await page.getByRole('button', { name: /^Historia/ }).click()
      await expect(page.getByRole('link', { name: 'Te esperamos, Ana' })).toBeVisible()

      const [entry] = await site.sql<{ folio: string }>('select folio from inscripciones where id = $1', [ana])
      await page.goto(`/folio#${entry!.folio}`)
      await expect(page.getByText(/Tienes una cita .* Lugar: Casa de la Cultura\./)).toBeVisible()
      const calendar = page.getByRole('link', { name: 'Guardar la cita en mi calendario' })
      const file = await page.request.get((await calendar.getAttribute('href'))!)
      expect(await file.text()).toMatch(
        new RegExp(`DTSTART:${DAY.replaceAll('-', '')}T160000Z[^]*LOCATION:Casa de la Cultura`),
      )
      await expectAccessible(page)

      await page.goto(`/organizadores/inscripciones/${ana}`)
      await hydrated(page)
      await expect(page.getByText(/^Cita: el .* a las 10 a\.m\. · en Casa de la Cultura$/)).toBeVisible()
      await page.getByRole('link', { name: 'Mover la cita' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Mover la cita' })).toBeInViewport()
      await expect(page.getByLabel('Asunto')).toHaveValue('Tu cita con {certamen} cambió')
      await expect(page.getByLabel('Día')).toBeInViewport()
      await expect(page.getByLabel('Día')).toHaveValue(DAY)
      await expect(page.getByLabel('Hora')).toHaveValue('10:00')
      await expect(page.getByLabel('Lugar')).toHaveValue('Casa de la Cultura')
      await expect(page.getByLabel(`Ana Citada ${width}`)).toBeChecked()
      await page.goBack()
      await page.getByText('Cancelarla').click()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByRole('button', { name: 'Sí, cancelar la cita' }).click()
      await expect(page.getByText('La cita quedó cancelada.')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Darle una cita' })).toBeVisible()
      await expect.poll(async () => (await site.mails(`ana${width}@ejemplo.mx`, 'mensaje')).length).toBe(2)
      await page.goto(`/folio#${entry!.folio}`)
      await expect(page.getByText('Recibida').first()).toBeVisible()
      await expect(page.getByText(/Tienes una cita/)).toHaveCount(0)
    })
  })
