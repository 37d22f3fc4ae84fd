import { changeState } from '#app/entries/states/mutations.server.ts'
import { expectAccessible } from '../../e2e/accessible.ts'
import { servicesOn, signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'
import { listenSmtp, type SmtpListener } from '../../support/mail/smtp-listener.ts'

/** Decodes soft line breaks and «=» of quoted-printable (RFC 2045). */
const plain = (raw: string) => raw.replace(/=\r?\n/g, '').replace(/=3D/g, '=')
/** Stores accepted entries, with a note for the person. */
async function sowAcceptedEntries(site: Site, seeds: Parameters<typeof sow>[1], note = 'Te esperamos el lunes') {
  const ids = await sow(site, seeds)
  await servicesOn(site, async ({ db }) => {
    for (const id of ids)
      await changeState(
        db,
        { id, version: 1 },
        { to: 'aceptada', note, isForEntrant: true },
        { quien: null, desde: 'prueba' },
      )
  })
  return ids
}

/** A site with a mail server that refuses some addresses. */
const testWithMailServer = test.extend<object, { smtp: SmtpListener; site: Site }>({
  smtp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern
    async ({}, use) => {
      const smtp = await listenSmtp({ onRecipient: (address) => (address.startsWith('nadie') ? 550 : 250) })
      await use(smtp)
      await smtp.close()
    },
    { scope: 'worker' },
  ],
  site: [
    async ({ smtp }, use) => {
      const site = await Site.start({ SMTP_URL: smtp.url })
      await use(site)
      await site.stop()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
})
/** Messages that the mail server accepted for an address. */
const to = (smtp: SmtpListener, address: string) => smtp.accepted.filter((one) => one.to.includes(address))

testWithMailServer.describe('with a mail server that refuses some addresses', () => {
  for (const width of [390, 1440])
    testWithMailServer.describe(`${width} px`, () => {
      testWithMailServer.use({ viewport: { width, height: 844 } })

      testWithMailServer(
        'a decision offers a message, shows the letter, and says «enviado» only once it is sent',
        async ({ page, context, site, smtp }) => {
          const email = `ana${width}@ejemplo.mx`
          const [id] = await sow(site, [
            { titular: 'Ana Sofía Colorín Nardo', correo: email, celular: '33 1234 5678', mayUseWhatsApp: true },
          ])
          await signIn(context, site, 'revision')
          await page.goto(`/organizadores/inscripciones/${id}`)
          await expect(page.getByRole('link', { name: 'Llamar al 33 1234 5678' })).toHaveAttribute(
            'href',
            'tel:+523312345678',
          )
          const whatsapp = page.getByRole('link', { name: 'Escribirle por WhatsApp' })
          await expect(whatsapp).toHaveAttribute('href', /^https:\/\/wa\.me\/523312345678\?text=Hola%2C%20Ana%20Sof/)
          await expect(page.getByRole('link', { name: 'Avisarle por correo' })).toBeHidden()
          await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
          // On a phone the form is folded.
          if (width < 900) await page.getByRole('button', { name: /^Decidir/ }).click()
          await page.getByLabel('Pasa a').selectOption('aceptada')
          await page.getByLabel('Nota (opcional, para la organización)').fill('Trae tu acta el lunes')
          await page.getByLabel('La persona también la lee, con su folio').check()
          await page.getByRole('button', { name: 'Guardar decisión' }).click()
          await expect(page.getByText('Todavía no se le avisa por correo que fue aceptada.')).toBeVisible()
          expect(to(smtp, email)).toEqual([])

          await page.getByRole('link', { name: 'Avisarle por correo' }).click()
          await expect(page.getByRole('heading', { level: 1, name: '¿Avisar por correo a Ana Sofía' })).toBeVisible()
          const letter = page.frameLocator('iframe')
          await expect(letter.getByRole('heading', { name: '¡Felicidades, Ana Sofía!' })).toBeVisible()
          await expect(letter.getByText('Trae tu acta el lunes', { exact: true })).toBeVisible()
          await page.getByRole('button', { name: 'Sólo texto' }).click()
          await expect(page.frameLocator('iframe').locator('pre')).toContainText('/folio#')
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
          await page.getByRole('button', { name: 'Mandarle el correo' }).dblclick()
          await expect(page.getByText('El servidor de correo aceptó 1 de 1.')).toBeVisible()
          expect(to(smtp, email)).toHaveLength(1)
          expect(plain(to(smtp, email)[0]!.raw)).toContain('/folio#')

          await page.goto(`/organizadores/inscripciones/${id}`)
          await expect(page.getByText('Se le mandó el aviso: enviado')).toBeVisible()
          await expectNoSidewaysScroll(page)
          // A second message is a separate decision.
          await page.getByRole('link', { name: 'Avisarle otra vez' }).click()
          await expect(page.getByText('Si se lo mandas otra vez, le llegan dos.')).toBeVisible()
        },
      )

      testWithMailServer(
        'a selection: reached and unreached people, and the outcome of each message',
        async ({ page, context, site, smtp }) => {
          const of = (name: string) => `${name} de ${width}`
          const ids = await sowAcceptedEntries(site, [
            { titular: of('Beatriz Nopal'), correo: `bea${width}@ejemplo.mx` },
            { titular: of('Carmen Ceiba'), correo: `nadie${width}@ejemplo.mx` },
            { titular: of('Diana Tila'), celular: '33 0000 1111' },
          ])
          await sow(site, [{ titular: of('Elena Copal'), correo: `ele${width}@ejemplo.mx` }])
          await signIn(context, site, 'admin')
          await page.goto(`/organizadores?buscar=${width}`)
          for (const name of ['Beatriz Nopal', 'Carmen Ceiba', 'Diana Tila', 'Elena Copal'])
            await page.getByRole('checkbox', { name: `Elegir ${of(name)}` }).check()
          await page.getByText('Varias a la vez', { exact: true }).click()
          await page.getByRole('button', { name: 'Mandarles su resultado' }).click()
          await expect(
            page.getByRole('heading', { level: 1, name: '¿Mandarles su resultado a 2 personas?' }),
          ).toBeVisible()
          await expect(page.getByRole('region', { name: 'Sin correo: llámales por teléfono (1)' })).toContainText(
            '33 0000 1111',
          )
          await expect(page.getByRole('region', { name: 'Todavía no hay qué avisarles (1)' })).toContainText(
            'Elena Copal',
          )
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
          await page.getByRole('button', { name: 'Mandar los correos' }).click()
          await expect(page.getByText('El servidor de correo aceptó 1 de 2.')).toBeVisible()
          await expect(page.getByText('correo rechazado')).toBeVisible()
          await expect(page.getByText('no aceptó esa dirección (respuesta 550)')).toBeVisible()
          expect(to(smtp, `bea${width}@ejemplo.mx`)).toHaveLength(1)
          // With the same selection again, no person gets a second message.
          await page.goto(`/organizadores/avisar?${ids.map((id) => `id=${id}`).join('&')}`)
          await expect(page.getByRole('heading', { level: 1, name: 'Nadie a quien avisar' })).toBeVisible()

          await page.goto('/organizadores/mensajes')
          await expect(page.getByRole('link', { name: of('Carmen Ceiba') })).toBeVisible()
          await expect(page.getByRole('link', { name: of('Beatriz Nopal') })).toBeHidden()
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
        },
      )

      testWithMailServer(
        'the words of a letter: refused while they are wrong, seen as they arrive, kept by version',
        async ({ page, context, site, expectedErrors }) => {
          expectedErrors.push(/422/)
          await signIn(context, site, 'revision')
          await page.goto('/organizadores/mensajes')
          // The editor misses text that is typed before hydration.
          await hydrated(page)
          await page.getByRole('link', { name: 'Ver y cambiar la carta «Rechazada»' }).click()
          const subject = page.getByLabel('Asunto del correo')
          await subject.fill('Gracias, {nombe}')
          await expect(page.getByText('{nombe} no es un dato que se pueda poner.')).toBeVisible()
          await page.getByRole('button', { name: 'Guardar la carta' }).click()
          await expect(page.getByRole('alert').getByText('{nombe} no es un dato')).toBeVisible()
          await expect(subject).toHaveValue('Gracias, {nombe}')
          await subject.fill(`Gracias desde ${width}, `)
          await page.getByRole('button', { name: 'su nombre de pila' }).click()
          await expect(subject).toHaveValue(`Gracias desde ${width}, {nombre}`)
          const text = page.getByLabel('Texto de la carta')
          await text.fill(`Esto lo escribió el comité a ${width}.\n\n{enlace}`)
          const letter = page.frameLocator('iframe')
          await expect(letter.getByText(`Esto lo escribió el comité a ${width}.`, { exact: true })).toBeVisible()
          await expect(letter.getByRole('link', { name: 'Consultar mi folio' })).toBeVisible()
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
          await page.getByRole('button', { name: 'Guardar la carta' }).click()
          await expect(page.getByText('Guardado: desde ahora las cartas salen con estas palabras.')).toBeVisible()
          await page.getByRole('link', { name: 'Las palabras que trae el sitio' }).click()
          await expect(subject).toHaveValue('Sobre tu registro para {certamen}')
          await page.goto('/organizadores/mensajes')
          await expect(page.getByText(`Gracias desde ${width}, {nombre}`)).toBeVisible()
        },
      )
    })

  testWithMailServer(
    'two organisers change a letter at once: the second is told, and loses nothing',
    async ({ page, context, site, expectedErrors }) => {
      expectedErrors.push(/409/)
      await signIn(context, site, 'admin')
      await page.goto('/organizadores/mensajes/aceptada')
      await hydrated(page)
      await page.getByLabel('Título de la carta').fill('El mío')
      await site.sql(`insert into plantillas (ocasion, version, asunto, titulo, texto, at)
      values ('aceptada', 1, 'De otra', 'El suyo', 'Suyo', now())`)
      await page.getByRole('button', { name: 'Guardar la carta' }).click()
      await expect(page.getByText('mientras tanto otra persona cambió esta carta')).toBeVisible()
      await expect(page.getByLabel('Título de la carta')).toHaveValue('El mío')
      await expect(page.getByText('El suyo')).toBeVisible()
      await page.getByRole('button', { name: 'Guardar la carta' }).click()
      await expect(page.getByText('Guardado: desde ahora')).toBeVisible()
      expect(await site.sql("select titulo from plantillas where ocasion = 'aceptada' order by version")).toEqual([
        { titulo: 'El suyo' },
        { titulo: 'El mío' },
      ])
    },
  )

  testWithMailServer('the entry shows a bounced message, with the reason', async ({ page, context, site }) => {
    const [id] = await sowAcceptedEntries(site, [{ titular: 'Rebeca Agave', correo: 'rebeca@ejemplo.mx' }])
    await site.sql(
      `insert into correos (idempotency_key, kind, priority, recipient, inscripcion_id, expires_at, sent_at, rebotado_at, rebote)
       values ('rebote', 'aceptada', 1, 'rebeca@ejemplo.mx', $1, now(), now(), now(), '5.2.2')`,
      [id],
    )
    await signIn(context, site, 'revision')
    await page.goto(`/organizadores/inscripciones/${id}`)
    await expect(page.getByText('regresó')).toBeVisible()
    await expect(page.getByText('Su buzón está lleno. Llámale por teléfono.')).toBeVisible()
  })
})

test('without a mail server every screen says so, and no message is called sent', async ({ page, context, site }) => {
  // Earlier tests on this site leave mails that were not delivered.
  await site.sql('delete from correos')
  const [id] = await sowAcceptedEntries(site, [{ titular: 'Sara Mezquite', correo: 'sara@ejemplo.mx' }])
  await signIn(context, site, 'admin')
  for (const path of ['/organizadores/bitacora', '/misspopularidad-resultados']) {
    await page.goto(path)
    await expect(page.getByText('Este sitio todavía no manda correos')).toBeVisible()
  }
  await page.goto('/organizadores/mensajes')
  await expect(page.getByText('Si un correo se rechaza, aparece aquí.')).toBeVisible()
  await page.goto(`/organizadores/avisar?id=${id}`)
  await expect(page.getByRole('heading', { name: 'Así dice el mensaje' })).toBeVisible()
  await page.getByRole('button', { name: 'Mandarle el correo' }).click()
  await expect(page.getByText('Quedó guardado y no le llega a nadie')).toBeVisible()
  await expect(page.getByText('no salió')).toBeVisible()
  await expect(page.getByText('enviado', { exact: true })).toBeHidden()
})

test('an organiser chooses how often to be told of news', async ({ page, context, site }) => {
  await signIn(context, site, 'revision')
  await page.goto('/organizadores/cuenta')
  await expect(page.getByLabel('Una vez al día, a las 8 de la mañana')).toBeChecked()
  await page.getByLabel('Nunca').check()
  await page.getByRole('button', { name: 'Guardar cuándo' }).click()
  await expect(page.getByText('Guardado.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Nunca')).toBeChecked()
})

test('an organiser with another part sends no message', async ({ page, context, site }) => {
  await signIn(context, site, 'sitio')
  const answer = await page.request.get(`${site.url}/organizadores/mensajes/suertes?id=1`)
  expect(answer.status()).toBe(403)
  const send = await page.request.post(`${site.url}/organizadores/avisar?id=1`, {
    form: { aviso: '1:aceptada:1:1' },
    headers: { origin: site.url },
  })
  expect(send.status()).toBe(403)
})
