import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { PASSWORD, signedIn } from '../e2e/accounts.ts'
import { FIELDS as COSTUME, PARTICIPATED_LABEL } from '../e2e/costume-form.ts'
import { documents, FIELDS, pdf, photo } from '../e2e/registration-form.ts'
import { sow } from '../e2e/sow-entries.ts'
import { textFor } from '../support/entries/field-values.ts'
import { expect, test } from './engine.ts'
import type { ElementQuery } from './find-element.ts'
import type { Visitor } from './visitor.ts'

const MENU: ElementQuery = { role: 'button', name: 'Menú' }
const SUBMIT_BUTTON: ElementQuery = { role: 'button', name: 'Enviar Registro' }
const RECEIVED_STATUS: ElementQuery = { role: 'status', name: /Registro exitoso\./ }

test('la portada: its picture, its words, a gallery that turns, a way inside', async ({ visitor }) => {
  await visitor.open('/')
  await visitor.see({ role: 'heading', name: 'Señorita Azahares' })
  const pictures = () =>
    visitor.browserWindow.ask(
      () => [...document.images].filter(({ complete, naturalWidth }) => complete && naturalWidth > 0).length,
    )
  await visitor.until('picture', async () => ((await pictures()) > 0 ? true : undefined))
  const gallery: ElementQuery = { role: 'region', name: 'GALERIA' }
  await visitor.press({ role: 'button', name: 'Pausar la galería' })
  const place = () =>
    visitor.browserWindow.ask(() => document.querySelector('[data-place="current"]')?.getAttribute('aria-label') ?? '')
  const before = Number((await place()).charAt(0))
  await visitor.press({ role: 'button', name: 'Siguiente', within: gallery })
  await visitor.until('next picture', async () => (await place()) === `${(before % 4) + 1} de 4` || undefined)
  await visitor.press({ role: 'link', name: 'CANDIDATAS' })
  await visitor.see({ role: 'heading', name: 'CONOCE A NUESTRAS CANDIDATAS' })
  expect(await visitor.path()).toBe('/candidatas')
})

test('el visor: opens over the page, steps on by button and key, and gives the focus back', async ({ visitor }) => {
  const mini: ElementQuery = { role: 'link', name: /^De espaldas y muy cerca/ }
  const lightbox: ElementQuery = { role: 'dialog', name: 'Fotografías de Renata Cempasúchil Nava' }
  await visitor.open('/candidatas')
  await visitor.press(mini)
  await visitor.read(/2 de 3/, lightbox)
  await visitor.seeThat({ role: 'image', within: lightbox }, ({ naturalWidth }) => naturalWidth > 0)
  await visitor.press({ role: 'button', name: 'Siguiente', within: lightbox })
  await visitor.read(/3 de 3/, lightbox)
  await visitor.key('ArrowRight')
  await visitor.read(/1 de 3/, lightbox)
  await visitor.key('Escape')
  await visitor.seeNone(lightbox)
  await visitor.seeThat(mini, ({ focused }) => focused)
})

test('el menú de un teléfono: opens, closes by Escape, leads on and is gone there', async ({ visitor }) => {
  const link: ElementQuery = { role: 'link', name: 'MAESTROS' }
  await visitor.browserWindow.resize(390, 780)
  await visitor.open('/medios')
  await visitor.seeNone(link)
  await visitor.press(MENU)
  await visitor.seeThat(link, ({ inView }) => inView)
  await visitor.key('Escape')
  await visitor.seeNone(link)
  await visitor.press(MENU)
  await visitor.press(link)
  await visitor.see({ role: 'heading', name: /Conoce a nuestros maestros/i })
  await visitor.seeNone(link)
  expect(await visitor.path()).toBe('/maestros')
})

async function fillCandidateForm(visitor: Visitor, name: string): Promise<void> {
  await visitor.fill('Nombre', name)
  await visitor.fill('Edad', FIELDS.edad)
  await visitor.fill('Estatura (m)', FIELDS.estatura)
  await visitor.select('Grado de Estudio', FIELDS.gradoEstudio)
  await visitor.fill('Celular', FIELDS.celular)
  for (const field of FORMS.candidata.fields)
    if (!Object.hasOwn(FIELDS, field.name) && field.control.kind !== 'checkbox')
      await visitor.fill(field.label, textFor(field))
}

test('el registro de una candidata: a draft outlives a reload, six files arrive whole', async ({
  visitor,
  site,
  onDisk,
}) => {
  const name = 'Ximena Nopal Prueba'
  const { birthCertificate, voterCard, studyCertificate, facePhoto, bodyPhoto } = documents()
  await visitor.open('/registro')
  await fillCandidateForm(visitor, name)
  await visitor.choose('Acta de Nacimiento', ...(await onDisk(birthCertificate)))
  await visitor.read(birthCertificate.name)
  await visitor.choose('Cred. Elector (ambos lados)', ...(await onDisk(...voterCard)))
  await visitor.read(/frente\.jpg/)
  await visitor.until('draft on the device', async () =>
    (await visitor.browserWindow.ask(drafts)).join() === '1,3' ? true : undefined,
  )

  await visitor.reload()
  await visitor.seeThat({ role: 'field', name: 'Nombre' }, ({ value }) => value === name)
  await visitor.seeThat({ role: 'field', name: 'Grado de Estudio' }, ({ value }) => value === FIELDS.gradoEstudio)
  await visitor.read(birthCertificate.name)
  await visitor.read(/vuelta\.jpg/)
  await visitor.choose('Constancia de Estudios', ...(await onDisk(studyCertificate)))
  await visitor.choose('Foto Rostro', ...(await onDisk(facePhoto)))
  await visitor.choose('Foto Cuerpo (traje de baño)', ...(await onDisk(bodyPhoto)))
  await visitor.read(bodyPhoto.name)
  await visitor.press(SUBMIT_BUTTON)
  await visitor.see(RECEIVED_STATUS)

  const sums = await site.sql<{ size_bytes: number }>(
    'select size_bytes from documentos d join inscripciones i on i.id = d.inscripcion_id where titular = $1 order by size_bytes',
    [name],
  )
  const sent = [birthCertificate, ...voterCard, studyCertificate, facePhoto, bodyPhoto].map(
    ({ buffer }) => buffer.byteLength,
  )
  expect(sums.map(({ size_bytes }) => size_bytes)).toEqual(sent.sort((one, other) => one - other))
})

/** Counts the drafts on this device and their files. Opening a missing database would create it. */
async function drafts(): Promise<number[]> {
  if (!(await indexedDB.databases()).some(({ name }) => name === 'registro')) return []
  return new Promise((resolve) => {
    const request = indexedDB.open('registro')
    request.onsuccess = () => {
      const names = ['borradores', 'archivos']
      const stores = request.result.transaction(names)
      const counts = names.map((name) => stores.objectStore(name).count())
      counts.at(-1)!.onsuccess = () => {
        request.result.close()
        resolve(counts.map((count) => count.result))
      }
    }
  })
}

test('el registro de un traje: a refused file says why, and the registration arrives', async ({
  visitor,
  site,
  onDisk,
}) => {
  await visitor.open('/registro-traje-tipico')
  for (const [label, text] of Object.entries(COSTUME)) await visitor.fill(label, text)
  for (const field of FORMS.traje.fields)
    if (field.label !== PARTICIPATED_LABEL && !Object.hasOwn(COSTUME, field.label) && field.control.kind !== 'checkbox')
      await visitor.fill(field.label, textFor(field))
  await visitor.select(PARTICIPATED_LABEL, 'No')
  await visitor.choose('Boceto frontal', ...(await onDisk(photo('frente_ñ.jpg'))))
  await visitor.read(/contiene caracteres no permitidos/)
  await visitor.choose('Boceto frontal', ...(await onDisk(photo('frente.jpg'))))
  await visitor.choose('Boceto posterior', ...(await onDisk(pdf('atras.pdf'))))
  await visitor.choose('Identificación', ...(await onDisk(photo('ine.jpg'))))
  await visitor.read('ine.jpg')
  await visitor.press(SUBMIT_BUTTON)
  await visitor.see(RECEIVED_STATUS)
  const rows = await site.sql(
    'select count(*)::int as files from documentos d join inscripciones i on i.id = d.inscripcion_id where tipo = $1',
    ['traje'],
  )
  expect(rows).toEqual([{ files: 3 }])
})

test('el voto: signs in by the code of a mail, says thanks, and counts once', async ({ visitor, site }) => {
  const email = `lucia${Date.now()}@correo.mx`
  await visitor.open('/misspopularidad?vote=2')
  await visitor.see({ role: 'heading', name: 'Ximena Agave Montaño', within: { role: 'dialog' } })
  await visitor.fill('Correo electrónico', email)
  await visitor.press({ role: 'button', name: 'Enviarme el código' })
  const code = await site.code(email)
  await visitor.fill('Código de seis dígitos', code)
  await visitor.press({ role: 'button', name: 'Confirmar mi voto' })
  await visitor.see({ role: 'heading', name: '¡Gracias! Tu voto ha sido registrado.' })
  await visitor.read(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/)
  const votes = () => site.sql('select candidata from banda_digital_votes')
  expect(await votes()).toEqual([{ candidata: 'Ximena Agave Montaño' }])
  expect(await visitor.path()).toBe('/misspopularidad')

  await visitor.open('/misspopularidad?vote=0')
  await visitor.see({ role: 'heading', name: 'Ya has votado con este correo.' })
  expect(await votes()).toHaveLength(1)
})

test('el panel: an organiser signs in, opens an entry, and looks at a document', async ({ visitor, site }) => {
  const titular = 'Ana Nardo Íñiguez'
  await sow(site, [{ titular }])
  const { correo } = await signedIn(site, 'admin')
  await visitor.open('/organizadores')
  await visitor.fill('Correo Electrónico', correo)
  await visitor.fill('Contraseña', PASSWORD)
  await visitor.press({ role: 'button', name: 'Iniciar sesión' })
  await visitor.press({ role: 'link', name: titular })
  await visitor.see({ role: 'heading', name: titular })
  await visitor.press({ role: 'link', name: 'Credencial de elector, frente' })
  await visitor.seeThat(
    { role: 'image', name: 'Credencial de elector, frente, en grande' },
    ({ naturalWidth, inView }) => naturalWidth === 300 && inView,
  )
})
