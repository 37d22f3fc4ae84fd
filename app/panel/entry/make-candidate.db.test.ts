import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readBorrador, saveCampos } from '#app/cms/drafts/draft-store.server.ts'
import { agregaCandidata } from '#app/cms/editions/add-candidate.server.ts'
import { archivoDe, BUCKET, objetoDe } from '#app/cms/media/file-store.server.ts'
import { insertPublicacion, ponVigente, readUltima } from '#app/cms/publishing/publications.server.ts'
import { retira } from '#app/cms/publishing/withdrawal.server.ts'
import { fallasDe } from '#app/cms/schema/faults.ts'
import { deleteInscripcion } from '#app/entries/retention/deletion.server.ts'
import { changeEstado } from '#app/entries/states/mutations.server.ts'
import { archivosDeCandidata, sembrarInscripcion } from '../../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { hazCandidata, readCandidataDelSitio } from './make-candidate.server.ts'

let site: TestSite
const autor = { quien: null, desde: 'prueba' }
const ANIO = 2025

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

interface Una {
  id: string
  nombre: string
  tono: string
  galeria: { foto: string }[]
  prensa?: { normal?: { foto: string } }
}

beforeEach(async () => {
  const { db, clock } = site.services
  await db.deleteFrom('borradores').execute()
  await db.deleteFrom('retiradas').execute()
  await db.deleteFrom('inscripciones').execute()
  const valores = {
    'candidatas.yaml': { candidatas: [{ id: 'eva-ceiba', nombre: 'Eva Ceiba', tono: 'fucsia' }] },
  }
  const nueva = { edicion: ANIO, valores, archivos: {}, origen: 'carpeta' as const }
  const id = await insertPublicacion(db, nueva, 'publicada', clock.now())
  await ponVigente(db, { id, edicion: ANIO }, clock.now())
})

const rostro = await sharp({ create: { width: 900, height: 1200, channels: 3, background: '#885533' } })
  .withExif({ IFD0: { Copyright: 'en-casa-de-ana' }, IFD3: { GPSLatitude: '20/1 30/1 0/1' } })
  .jpeg()
  .toBuffer()

async function sow(siembra: { permite?: boolean; titular?: string; edicion?: number; body?: Buffer } = {}) {
  const archivos = archivosDeCandidata().map((uno) =>
    uno.clase === 'fotoRostro' ? { ...uno, body: siembra.body ?? rostro } : uno,
  )
  const id = await sembrarInscripcion(site.services, { ...siembra, archivos })
  expect(await changeEstado(site.services.db, { id, version: 1 }, { a: 'aceptada', nota: '' }, autor)).toEqual({
    ok: true,
  })
  return id
}

async function draft(): Promise<Una[]> {
  const { db } = site.services
  const base = (await readUltima(db, ANIO))!
  const { valores } = await readBorrador(db, ANIO, base.valores)
  return (valores['candidatas.yaml'] as { candidatas: Una[] }).candidatas
}

test('an entry becomes a candidate of the draft, once, with what it has and nothing that it does not allow', async () => {
  const { db } = site.services
  const id = await sow()
  expect(await readCandidataDelSitio(db, id)).toEqual({ es: 'puede', permite: false })
  const both = await Promise.all([hazCandidata(site.services, id, autor), hazCandidata(site.services, id, autor)])
  expect(both.map((hecho) => (hecho.ok ? hecho.foto : hecho.reason)).sort()).toEqual(['sin-permiso', 'ya'])
  const [eva, ana, ...more] = await draft()
  expect([eva?.id, more]).toEqual(['eva-ceiba', []])
  expect(ana).toMatchObject({
    ...{
      id: 'ana-maria-colorin',
      nombre: 'Ana María Colorín',
      edad: 21,
      carrera: 'Estudiante',
      tono: 'oro',
      origen: '',
    },
    galeria: [{ foto: '', alt: '' }],
  })
  expect(ana).not.toHaveProperty('prensa')
  expect(await db.selectFrom('archivos_de_edicion').selectAll().execute()).toEqual([])
  // What the entry does not have is what the checklist says.
  const said = fallasDe('candidatas.yaml', { candidatas: [ana] }).map(({ campo }) => campo.slice(2).join('.'))
  expect(said).toEqual(expect.arrayContaining(['origen', 'cumple', 'signo', 'semblanza', 'galeria.0']))
  expect(await readCandidataDelSitio(db, id)).toEqual({
    es: 'ya',
    direccion: '/organizadores/sitio/candidatas?campo=candidatas.candidatas.1.nombre',
  })
  const lines = await db.selectFrom('bitacora').selectAll().where('que', '=', 'sitio.candidata').execute()
  expect(lines).toMatchObject([{ edicion: ANIO, inscripcion: id, datos: null }])
})

test('with her permission her photograph of the face goes along, clean, and no other file of hers', async () => {
  const { db, storage } = site.services
  const id = await sow({ permite: true })
  expect(await hazCandidata(site.services, id, autor)).toEqual({ ok: true, foto: 'puesta' })
  const ana = (await draft())[1]!
  const ruta = ana.galeria[0]!.foto
  expect(ana.prensa?.normal?.foto).toBe(ruta)
  const kept = await db.selectFrom('archivos_de_edicion').selectAll().execute()
  expect(kept).toHaveLength(1)
  const { sha256 } = (await archivoDe(db, ruta))!
  const bytes = await buffer((await storage.get(BUCKET, objetoDe(sha256)))!)
  expect(bytes.includes('en-casa-de-ana')).toBe(false)
  const { format, width, height, exif } = await sharp(bytes).metadata()
  expect({ format, width, height, exif }).toEqual({ format: 'jpeg', width: 900, height: 1200, exif: undefined })

  // Taken out of everything, nothing of it stays, though it was never published.
  expect(await retira(site.services, { anio: ANIO, candidata: ana.id, tieneVotos: false }, autor)).toMatchObject({
    ok: true,
  })
  const [row] = await db.selectFrom('retiradas').selectAll().execute()
  expect(row!.sumas).toEqual([sha256])
  expect(await readCandidataDelSitio(db, id)).toEqual({ es: 'retirada' })
  expect(await hazCandidata(site.services, id, autor)).toEqual({ ok: false, reason: 'ya' })
  await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
})

test('a photograph that is none any more is left out, and said', async () => {
  const id = await sow({ permite: true, body: Buffer.from('%PDF-1.7 no picture') })
  expect(await hazCandidata(site.services, id, autor)).toEqual({ ok: true, foto: 'ilegible' })
  expect((await draft())[1]!.galeria).toEqual([{ foto: '', alt: '', foco: [50, 50] }])
})

test('an id is nobody else’s, of now or of before; and hers again when she was only taken off the list', async () => {
  const { db, clock } = site.services
  await db
    .insertInto('retiradas')
    .values({ edicion: ANIO, candidata: 'ana-maria-colorin', quien: null, at: clock.now() })
    .execute()
  const id = await sow()
  await hazCandidata(site.services, id, autor)
  expect((await draft()).map((una) => una.id)).toEqual(['eva-ceiba', 'ana-maria-colorin-2'])
  const twin = await sow()
  await hazCandidata(site.services, twin, autor)
  const base = (await readUltima(db, ANIO))!
  const [, ana] = await draft()
  const quitar = { documento: 'candidatas.yaml', campo: ['candidatas'], vistos: [], en: 1, largo: 3, antes: ana }
  await saveCampos(db, ANIO, base.valores, [{ que: 'quitar', ...quitar }], null, clock.now())
  expect(await readCandidataDelSitio(db, id)).toEqual({ es: 'puede', permite: false })
  await hazCandidata(site.services, id, autor)
  expect((await draft()).map((una) => una.id)).toEqual(['eva-ceiba', 'ana-maria-colorin-3', 'ana-maria-colorin-2'])
})

test('only an accepted entry of the edition that is shown, and no more than twelve', async () => {
  const { db, clock } = site.services
  const waiting = await sembrarInscripcion(site.services)
  const older = await sow({ edicion: 2024 })
  const costume = await sembrarInscripcion(site.services, { tipo: 'traje' })
  for (const id of [waiting, older, costume, 999_999]) {
    expect(await readCandidataDelSitio(db, id)).toBeUndefined()
    expect(await hazCandidata(site.services, id, autor)).toEqual({ ok: false, reason: 'inaceptable' })
  }
  const base = (await readUltima(db, ANIO))!
  await db.transaction().execute(async (tx) => {
    for (let count = 1; count < 12; count++)
      await agregaCandidata(
        tx,
        base,
        { nombre: `Una ${count}`, edad: 20, carrera: 'Estudiante', foto: undefined, id: undefined },
        { quien: null, now: clock.now() },
      )
  })
  const one = await sow()
  expect(await hazCandidata(site.services, one, autor)).toEqual({ ok: false, reason: 'llena' })
  expect(await draft()).toHaveLength(12)
})

test('with the entry goes what it was made into, and the candidate stays', async () => {
  const { db } = site.services
  const id = await sow({ permite: true })
  await hazCandidata(site.services, id, autor)
  expect(await deleteInscripcion(site.services, id, 'solicitud', autor)).toMatchObject({ ok: true, pendiente: false })
  expect(await db.selectFrom('candidatas_de_inscripciones').selectAll().execute()).toEqual([])
  expect((await draft()).map((una) => una.nombre)).toEqual(['Eva Ceiba', 'Ana María Colorín'])
})
