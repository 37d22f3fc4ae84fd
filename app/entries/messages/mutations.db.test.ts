import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createCuenta } from '#app/accounts/people/mutations.server.ts'
import { openMailFolder } from '#app/core/mail-transport/outbox-folder.server.ts'
import { openSmtp } from '#app/core/mail-transport/smtp.server.ts'
import { readInscripcion } from '#app/entries/data.server.ts'
import { deleteInscripcion } from '#app/entries/retention/deletion.server.ts'
import { askDocumento, changeEstado } from '#app/entries/states/mutations.server.ts'
import { carry, FROM } from '../../../tests/correo.ts'
import { escritoDe } from '../../../tests/escrito.ts'
import { sembrarInscripcion } from '../../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { listenSmtp } from '../../../tests/smtp.ts'
import {
  countNoLlegados,
  listDestinatarias,
  listNoLlegados,
  listPlantillas,
  readContacto,
  readPlantilla,
} from './data.server.ts'
import { avisar, avisarDelPaso, guardarPalabras } from './mutations.server.ts'
import { PALABRAS_DEL_SITIO } from './rules.ts'

let site: TestSite
const autor = { quien: 'nadie', desde: 'prueba' }
beforeAll(async () => {
  site = await openTestSite()
  await createCuenta(site.services.db, { correo: 'eva@comite.example', rol: 'admin' }, autor)
  autor.quien = (await site.services.db.selectFrom('profiles').select('id').executeTakeFirstOrThrow()).id
})
afterAll(() => site.close())
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const db = () => site.services.db

/** An entry that was accepted, with a note for the person. */
async function aceptada(siembra: Parameters<typeof sembrarInscripcion>[1] = {}, nota = 'Trae tu acta el lunes') {
  const id = await sembrarInscripcion(site.services, { correo: 'ana@ejemplo.mx', ...siembra })
  await changeEstado(db(), { id, version: 1 }, { a: 'aceptada', nota, paraPersona: true }, autor)
  const [una] = await listDestinatarias(db(), [id])
  return { id, una: una!, pedido: { inscripcion: id, ocasion: 'aceptada' as const, paso: una!.paso, vez: 1 } }
}
const correosDe = (id: number) => db().selectFrom('correos').selectAll().where('inscripcion_id', '=', id).execute()

test('pressed twice, by two at once, one message goes out, and stands in the log', async () => {
  const { id, pedido } = await aceptada({ titular: 'Ana Sofía Colorín Nardo' })
  const both = await Promise.all([1, 2].map(() => avisar(db(), site.services, pedido, autor)))
  expect(both.map((one) => one.ok && one.repetido).sort()).toEqual([false, true])
  const [correo, ...more] = await correosDe(id)
  expect(more).toEqual([])
  const { subject, text } = escritoDe(correo!)
  expect(subject).toMatch(/^Tu registro para .* fue aceptado$/)
  expect(text).toContain('¡Felicidades, Ana Sofía!')
  expect(text).toContain('Trae tu acta el lunes')
  const { avisos } = (await listDestinatarias(db(), [id]))[0]!
  expect(avisos).toMatchObject([{ suerte: 'espera', quien: 'eva@comite.example', para: 'ana@ejemplo.mx' }])
  const log = await db().selectFrom('bitacora').select('que').where('inscripcion', '=', id).execute()
  expect(log.filter(({ que }) => que === 'mensaje.aviso')).toHaveLength(1)
  // Another one is another press, on purpose.
  expect(await avisar(db(), site.services, { ...pedido, vez: 2 }, autor)).toEqual({ ok: true, repetido: false })
})

test('nothing goes out about what is not so any more, nor to whoever left no address', async () => {
  const { id, pedido } = await aceptada()
  await changeEstado(db(), { id, version: 2 }, { a: 'rechazada', nota: '' }, autor)
  expect(await avisar(db(), site.services, pedido, autor)).toEqual({ ok: false, reason: 'cambio' })
  const mudo = await aceptada({ correo: undefined as never })
  await db().updateTable('inscripciones').set({ correo: null }).where('id', '=', mudo.id).execute()
  expect(await avisar(db(), site.services, mudo.pedido, autor)).toEqual({ ok: false, reason: 'sin-correo' })
  await db().updateTable('inscripciones').set({ correo: 'nadie' }).where('id', '=', mudo.id).execute()
  expect(await avisar(db(), site.services, mudo.pedido, autor)).toEqual({ ok: false, reason: 'direccion' })
  expect(await avisar(db(), site.services, { ...pedido, inscripcion: 999_999 }, autor)).toMatchObject({
    reason: 'borrada',
  })
  expect([...(await correosDe(id)), ...(await correosDe(mudo.id))]).toEqual([])
})

test('a document that is asked for again is told of with it, whole or not at all', async () => {
  const id = await sembrarInscripcion(site.services, { correo: 'ana@ejemplo.mx' })
  const { documentos } = (await readInscripcion(db(), id))!
  const ask = (avisar: (tx: ReturnType<typeof db>) => Promise<unknown>) =>
    askDocumento(db(), { id, version: 1 }, { documento: documentos[0]!.id, nota: 'No se lee el número', avisar }, autor)
  const fails = ask(async (tx) => {
    await avisarDelPaso(tx, site.services, id, autor)
    throw new Error('the disk is full')
  })
  await expect(fails).rejects.toThrow('the disk is full')
  expect(await correosDe(id)).toEqual([])
  expect(await ask((tx) => avisarDelPaso(tx, site.services, id, autor))).toEqual({ ok: true })
  const [correo] = await correosDe(id)
  expect(correo!.kind).toBe('documento')
  expect(escritoDe(correo!).text).toContain('No se lee el número')
  expect(escritoDe(correo!).text).toContain('https://feria.example/folio#')
})

test('words are kept by version, and whoever began from older ones is told', async () => {
  const at = new Date()
  const palabras = { ...PALABRAS_DEL_SITIO.rechazada, asunto: 'Gracias, {nombre}' }
  const keep = (vista: number, change = {}) =>
    guardarPalabras(db(), { ocasion: 'rechazada', vista, palabras: { ...palabras, ...change }, at }, autor)
  expect(await readPlantilla(db(), 'rechazada')).toMatchObject({ version: 0, quien: null })
  expect(await keep(0, { texto: 'Hola {nombe}' })).toMatchObject({ ok: false, reason: 'reparos' })
  const both = await Promise.all([keep(0), keep(0, { titulo: 'Otro' })])
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  expect(both.find(({ ok }) => !ok)).toMatchObject({ reason: 'version', ahora: { version: 1 } })
  expect((await keep(1, { titulo: 'Otro más' })).ok).toBe(true)
  const all = await listPlantillas(db(), 'rechazada')
  expect(all.map(({ version, quien }) => [version, quien])).toEqual([
    [2, 'eva@comite.example'],
    [1, 'eva@comite.example'],
    [0, null],
  ])
})

test('what became of a message is what the mail server said, never before', async () => {
  const smtp = await listenSmtp({ onRecipient: (address) => (address.startsWith('nadie') ? 550 : 250) })
  open.push(() => smtp.close())
  const good = await aceptada({ titular: 'Llega' })
  const bad = await aceptada({ titular: 'No llega', correo: 'nadie@ejemplo.mx' })
  for (const { pedido } of [good, bad]) await avisar(db(), site.services, pedido, autor)
  const suerte = async (id: number) =>
    (await readContacto(site.services, (await readInscripcion(db(), id))!)).avisos[0]!
  expect(await suerte(good.id)).toMatchObject({ suerte: 'espera', suerteAt: undefined })
  await carry(site.services, openSmtp(smtp.url, FROM))
  expect(await suerte(good.id)).toMatchObject({ suerte: 'enviado', suerteAt: expect.any(Date), motivo: undefined })
  expect(await suerte(bad.id)).toMatchObject({
    suerte: 'rechazado',
    motivo: expect.stringContaining('no aceptó esa dirección (respuesta 550)'),
  })
  const before = await countNoLlegados(db(), 2025)
  expect((await listNoLlegados(db(), 2025)).map(({ inscripcion }) => inscripcion.id)).toContain(bad.id)
  // A newer message, to a corrected address: the old one is no matter any more.
  await db().updateTable('inscripciones').set({ correo: 'ana@ejemplo.mx' }).where('id', '=', bad.id).execute()
  expect(await avisar(db(), site.services, { ...bad.pedido, vez: 2 }, autor)).toMatchObject({
    ok: true,
    repetido: false,
  })
  expect(await countNoLlegados(db(), 2025)).toBe(before - 1)
  await db().deleteFrom('correos').where('sent_at', 'is', null).execute()
})

test('without a mail server nothing is called sent', async () => {
  const { id, pedido } = await aceptada()
  await avisar(db(), site.services, pedido, autor)
  await carry(site.services, openMailFolder(`${site.dataDir}/outbox`, FROM))
  const { avisos, haySmtp } = await readContacto(site.services, (await readInscripcion(db(), id))!)
  expect(haySmtp).toBe(false)
  expect(avisos[0]).toMatchObject({ suerte: 'guardado', motivo: expect.stringContaining('no le llegó a nadie') })
  expect((await listNoLlegados(db(), 2025)).map(({ inscripcion }) => inscripcion.id)).toContain(id)
})

test('what was sent goes with the entry', async () => {
  const { id, pedido } = await aceptada()
  await avisar(db(), site.services, pedido, autor)
  await deleteInscripcion(site.services, id, 'solicitud', autor)
  const { rows } = await sql<{ n: number }>`
    select (select count(*) from mensajes where inscripcion_id = ${id}) +
      (select count(*) from correos where inscripcion_id = ${id}) as n`.execute(db())
  expect(Number(rows[0]!.n)).toBe(0)
})

test('WhatsApp is offered to whoever allows it, a call to everybody', async () => {
  const read = async (id: number) => readContacto(site.services, (await readInscripcion(db(), id))!)
  const one = await aceptada({ whatsapp: true, celular: '33 1234 5678', titular: 'Ana Sofía Colorín Nardo' })
  const contacto = await read(one.id)
  expect(contacto.tel).toBe('tel:+523312345678')
  const url = new URL(contacto.whatsapp!)
  expect(url.origin + url.pathname).toBe('https://wa.me/523312345678')
  expect(url.searchParams.get('text')).toMatch(/^Hola, Ana Sofía\. .*aceptó tu registro\..*\/folio#/)
  const other = await aceptada({ celular: '33 1234 5678' })
  expect(await read(other.id)).toMatchObject({ tel: 'tel:+523312345678', whatsapp: undefined })
})
