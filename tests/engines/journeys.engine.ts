import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { PASSWORD, signedIn } from '../e2e/accounts.ts'
import { FIELDS as COSTUME, PARTICIPATED_LABEL } from '../e2e/costume-form.ts'
import { documents, FIELDS, pdf, photo } from '../e2e/registration-form.ts'
import { sow } from '../e2e/sow-entries.ts'
import { textFor } from '../support/entries/field-values.ts'
import { expect, test } from './engine.ts'
import type { ElementQuery } from './find-element.ts'
import type { Visitor } from './visitor.ts'

const MENU: ElementQuery = { rol: 'button', nombre: 'Menú' }
const SUBMIT_BUTTON: ElementQuery = { rol: 'button', nombre: 'Enviar Registro' }
const RECEIVED_STATUS: ElementQuery = { rol: 'status', nombre: /Registro exitoso\./ }

test('la portada: its picture, its words, a gallery that turns, a way inside', async ({ visitante }) => {
  await visitante.open('/')
  await visitante.see({ rol: 'heading', nombre: 'Señorita Azahares' })
  const pictures = () =>
    visitante.ventana.ask(
      () => [...document.images].filter(({ complete, naturalWidth }) => complete && naturalWidth > 0).length,
    )
  await visitante.until('picture', async () => ((await pictures()) > 0 ? true : undefined))
  const gallery: ElementQuery = { rol: 'region', nombre: 'GALERIA' }
  await visitante.press({ rol: 'button', nombre: 'Pausar la galería' })
  const place = () =>
    visitante.ventana.ask(() => document.querySelector('[data-lugar="actual"]')?.getAttribute('aria-label') ?? '')
  const before = Number((await place()).charAt(0))
  await visitante.press({ rol: 'button', nombre: 'Siguiente', en: gallery })
  await visitante.until('next picture', async () => (await place()) === `${(before % 4) + 1} de 4` || undefined)
  await visitante.press({ rol: 'link', nombre: 'CANDIDATAS' })
  await visitante.see({ rol: 'heading', nombre: 'CONOCE A NUESTRAS CANDIDATAS' })
  expect(await visitante.path()).toBe('/candidatas')
})

test('el visor: opens over the page, steps on by button and key, and gives the focus back', async ({ visitante }) => {
  const mini: ElementQuery = { rol: 'link', nombre: /^De espaldas y muy cerca/ }
  const visor: ElementQuery = { rol: 'dialog', nombre: 'Fotografías de Renata Cempasúchil Nava' }
  await visitante.open('/candidatas')
  await visitante.press(mini)
  await visitante.read(/2 de 3/, visor)
  await visitante.seeThat({ rol: 'image', en: visor }, ({ naturalWidth }) => naturalWidth > 0)
  await visitante.press({ rol: 'button', nombre: 'Siguiente', en: visor })
  await visitante.read(/3 de 3/, visor)
  await visitante.key('ArrowRight')
  await visitante.read(/1 de 3/, visor)
  await visitante.key('Escape')
  await visitante.seeNone(visor)
  await visitante.seeThat(mini, ({ focused }) => focused)
})

test('el menú de un teléfono: opens, closes by Escape, leads on and is gone there', async ({ visitante }) => {
  const link: ElementQuery = { rol: 'link', nombre: 'MAESTROS' }
  await visitante.ventana.resize(390, 780)
  await visitante.open('/medios')
  await visitante.seeNone(link)
  await visitante.press(MENU)
  await visitante.seeThat(link, ({ inView }) => inView)
  await visitante.key('Escape')
  await visitante.seeNone(link)
  await visitante.press(MENU)
  await visitante.press(link)
  await visitante.see({ rol: 'heading', nombre: /Conoce a nuestros maestros/i })
  await visitante.seeNone(link)
  expect(await visitante.path()).toBe('/maestros')
})

async function fillCandidateForm(visitor: Visitor, name: string): Promise<void> {
  await visitor.fill('Nombre', name)
  await visitor.fill('Edad', FIELDS.edad)
  await visitor.fill('Estatura (m)', FIELDS.estatura)
  await visitor.select('Grado de Estudio', FIELDS.gradoEstudio)
  await visitor.fill('Celular', FIELDS.celular)
  for (const field of FORMS.candidata.campos)
    if (!Object.hasOwn(FIELDS, field.nombre) && field.control.como !== 'casilla')
      await visitor.fill(field.etiqueta, textFor(field))
}

test('el registro de una candidata: a draft outlives a reload, six files arrive whole', async ({
  visitante,
  site,
  onDisk,
}) => {
  const name = 'Ximena Nopal Prueba'
  const { acta, credencial, constancia, rostro, cuerpo } = documents()
  await visitante.open('/registro')
  await fillCandidateForm(visitante, name)
  await visitante.choose('Acta de Nacimiento', ...(await onDisk(acta)))
  await visitante.read(acta.name)
  await visitante.choose('Cred. Elector (ambos lados)', ...(await onDisk(...credencial)))
  await visitante.read(/frente\.jpg/)
  await visitante.until('draft on the device', async () =>
    (await visitante.ventana.ask(drafts)).join() === '1,3' ? true : undefined,
  )

  await visitante.reload()
  await visitante.seeThat({ rol: 'field', nombre: 'Nombre' }, ({ value }) => value === name)
  await visitante.seeThat({ rol: 'field', nombre: 'Grado de Estudio' }, ({ value }) => value === FIELDS.gradoEstudio)
  await visitante.read(acta.name)
  await visitante.read(/vuelta\.jpg/)
  await visitante.choose('Constancia de Estudios', ...(await onDisk(constancia)))
  await visitante.choose('Foto Rostro', ...(await onDisk(rostro)))
  await visitante.choose('Foto Cuerpo (traje de baño)', ...(await onDisk(cuerpo)))
  await visitante.read(cuerpo.name)
  await visitante.press(SUBMIT_BUTTON)
  await visitante.see(RECEIVED_STATUS)

  const sums = await site.sql<{ size_bytes: number }>(
    'select size_bytes from documentos d join inscripciones i on i.id = d.inscripcion_id where titular = $1 order by size_bytes',
    [name],
  )
  const sent = [acta, ...credencial, constancia, rostro, cuerpo].map(({ buffer }) => buffer.byteLength)
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
  visitante,
  site,
  onDisk,
}) => {
  await visitante.open('/registro-traje-tipico')
  for (const [label, text] of Object.entries(COSTUME)) await visitante.fill(label, text)
  for (const field of FORMS.traje.campos)
    if (
      field.etiqueta !== PARTICIPATED_LABEL &&
      !Object.hasOwn(COSTUME, field.etiqueta) &&
      field.control.como !== 'casilla'
    )
      await visitante.fill(field.etiqueta, textFor(field))
  await visitante.select(PARTICIPATED_LABEL, 'No')
  await visitante.choose('Boceto frontal', ...(await onDisk(photo('frente_ñ.jpg'))))
  await visitante.read(/contiene caracteres no permitidos/)
  await visitante.choose('Boceto frontal', ...(await onDisk(photo('frente.jpg'))))
  await visitante.choose('Boceto posterior', ...(await onDisk(pdf('atras.pdf'))))
  await visitante.choose('Identificación', ...(await onDisk(photo('ine.jpg'))))
  await visitante.read('ine.jpg')
  await visitante.press(SUBMIT_BUTTON)
  await visitante.see(RECEIVED_STATUS)
  const rows = await site.sql(
    'select count(*)::int as files from documentos d join inscripciones i on i.id = d.inscripcion_id where tipo = $1',
    ['traje'],
  )
  expect(rows).toEqual([{ files: 3 }])
})

test('el voto: signs in by the code of a mail, says thanks, and counts once', async ({ visitante, site }) => {
  const email = `lucia${Date.now()}@correo.mx`
  await visitante.open('/misspopularidad?vote=2')
  await visitante.see({ rol: 'heading', nombre: 'Ximena Agave Montaño', en: { rol: 'dialog' } })
  await visitante.fill('Correo electrónico', email)
  await visitante.press({ rol: 'button', nombre: 'Enviarme el código' })
  const code = await site.code(email)
  await visitante.fill('Código de seis dígitos', code)
  await visitante.press({ rol: 'button', nombre: 'Confirmar mi voto' })
  await visitante.see({ rol: 'heading', nombre: '¡Gracias! Tu voto ha sido registrado.' })
  await visitante.read(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/)
  const votes = () => site.sql('select candidata from banda_digital_votes')
  expect(await votes()).toEqual([{ candidata: 'Ximena Agave Montaño' }])
  expect(await visitante.path()).toBe('/misspopularidad')

  await visitante.open('/misspopularidad?vote=0')
  await visitante.see({ rol: 'heading', nombre: 'Ya has votado con este correo.' })
  expect(await votes()).toHaveLength(1)
})

test('el panel: an organiser signs in, opens an entry, and looks at a document', async ({ visitante, site }) => {
  const titular = 'Ana Nardo Íñiguez'
  await sow(site, [{ titular }])
  const { correo } = await signedIn(site, 'admin')
  await visitante.open('/organizadores')
  await visitante.fill('Correo Electrónico', correo)
  await visitante.fill('Contraseña', PASSWORD)
  await visitante.press({ rol: 'button', nombre: 'Iniciar sesión' })
  await visitante.press({ rol: 'link', nombre: titular })
  await visitante.see({ rol: 'heading', nombre: titular })
  await visitante.press({ rol: 'link', nombre: 'Credencial de elector, frente' })
  await visitante.seeThat(
    { rol: 'image', nombre: 'Credencial de elector, frente, en grande' },
    ({ naturalWidth, inView }) => naturalWidth === 300 && inView,
  )
})
