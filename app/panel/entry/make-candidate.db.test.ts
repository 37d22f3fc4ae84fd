import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readDraft, saveDocument } from '#app/cms/drafts/draft-store.server.ts'
import { addCandidate } from '#app/cms/editions/add-candidate.server.ts'
import { EDITION_BUCKET, fileObjectPath, findFileByPath } from '#app/cms/media/file-store.server.ts'
import {
  insertPublication,
  readLatestPublication,
  setCurrentPublication,
} from '#app/cms/publishing/publications.server.ts'
import { withdrawCandidate } from '#app/cms/publishing/withdrawal.server.ts'
import { fieldFaultsOf } from '#app/cms/schema/faults.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { changeState } from '#app/entries/states/mutations.server.ts'
import { candidateFiles, seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { makeCandidate, readCandidateStatus } from './make-candidate.server.ts'

let site: TestSite
const actor = { quien: null, desde: 'prueba' }
const YEAR = 2025

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

interface DraftCandidate {
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
  const values = {
    'candidatas.yaml': { candidatas: [{ id: 'eva-ceiba', nombre: 'Eva Ceiba', tono: 'fucsia' }] },
  }
  const newOne = { edicion: YEAR, valores: values, archivos: {}, origen: 'carpeta' as const }
  const id = await insertPublication(db, newOne, 'publicada', clock.now())
  await setCurrentPublication(db, { id, edicion: YEAR }, clock.now())
})

const face = await sharp({ create: { width: 900, height: 1200, channels: 3, background: '#885533' } })
  .withExif({ IFD0: { Copyright: 'en-casa-de-ana' }, IFD3: { GPSLatitude: '20/1 30/1 0/1' } })
  .jpeg()
  .toBuffer()

async function sow(seed: { mayPublishFace?: boolean; titular?: string; edicion?: number; body?: Buffer } = {}) {
  const files = candidateFiles().map((one) => (one.clase === 'fotoRostro' ? { ...one, body: seed.body ?? face } : one))
  const id = await seedEntry(site.services, { ...seed, files })
  expect(await changeState(site.services.db, { id, version: 1 }, { to: 'aceptada', note: '' }, actor)).toEqual({
    ok: true,
  })
  return id
}

async function draft(): Promise<DraftCandidate[]> {
  const { db } = site.services
  const base = (await readLatestPublication(db, YEAR))!
  const { values } = await readDraft(db, YEAR, base.valores)
  return (values['candidatas.yaml'] as { candidatas: DraftCandidate[] }).candidatas
}

test('an entry becomes a candidate of the draft once, with its data and nothing without consent', async () => {
  const { db } = site.services
  const id = await sow()
  expect(await readCandidateStatus(db, id)).toEqual({ kind: 'possible', hasPhotoConsent: false })
  const both = await Promise.all([makeCandidate(site.services, id, actor), makeCandidate(site.services, id, actor)])
  expect(both.map((done) => (done.ok ? done.photo : done.reason)).sort()).toEqual(['alreadyMade', 'noConsent'])
  const [eva, ana, ...more] = await draft()
  expect([eva?.id, more]).toEqual(['eva-ceiba', []])
  expect(ana).toMatchObject({
    id: 'ana-maria-colorin',
    nombre: 'Ana María Colorín',
    edad: 21,
    carrera: 'Estudiante',
    tono: 'oro',
    origen: '',
    galeria: [{ foto: '', alt: '' }],
  })
  expect(ana).not.toHaveProperty('prensa')
  expect(await db.selectFrom('archivos_de_edicion').selectAll().execute()).toEqual([])
  // The checklist names the fields that the entry lacks.
  const said = fieldFaultsOf('candidatas.yaml', { candidatas: [ana] }).map(({ campo }) => campo.slice(2).join('.'))
  expect(said).toEqual(expect.arrayContaining(['origen', 'cumple', 'signo', 'semblanza', 'galeria.0']))
  expect(await readCandidateStatus(db, id)).toEqual({
    kind: 'inDraft',
    path: '/organizadores/sitio/candidatas?campo=candidatas.candidatas.1.nombre',
    isPublished: false,
  })
  const lines = await db.selectFrom('bitacora').selectAll().where('que', '=', 'sitio.candidata').execute()
  expect(lines).toMatchObject([{ edicion: YEAR, inscripcion: id, datos: null }])
})

test('with consent the face photograph is copied without metadata, and no other file', async () => {
  const { db, storage } = site.services
  const id = await sow({ mayPublishFace: true })
  expect(await makeCandidate(site.services, id, actor)).toEqual({ ok: true, photo: 'added' })
  const ana = (await draft())[1]!
  const path = ana.galeria[0]!.foto
  expect(ana.prensa?.normal?.foto).toBe(path)
  const kept = await db.selectFrom('archivos_de_edicion').selectAll().execute()
  expect(kept).toHaveLength(1)
  const { sha256 } = (await findFileByPath(db, path))!
  const bytes = await buffer((await storage.get(EDITION_BUCKET, fileObjectPath(sha256)))!)
  expect(bytes.includes('en-casa-de-ana')).toBe(false)
  const { format, width, height, exif } = await sharp(bytes).metadata()
  expect({ format, width, height, exif }).toEqual({ format: 'jpeg', width: 900, height: 1200, exif: undefined })

  // A withdrawal removes the photograph, too, though it was never published.
  expect(
    await withdrawCandidate(site.services, { year: YEAR, candidateId: ana.id, hasVotes: false }, actor),
  ).toMatchObject({
    ok: true,
  })
  const [row] = await db.selectFrom('retiradas').selectAll().execute()
  expect(row!.sumas).toEqual([sha256])
  expect(await readCandidateStatus(db, id)).toEqual({ kind: 'withdrawn' })
  expect(await makeCandidate(site.services, id, actor)).toEqual({ ok: false, reason: 'alreadyMade' })
  await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
})

test('a photograph that cannot be decoded is left out, and the result says so', async () => {
  const id = await sow({ mayPublishFace: true, body: Buffer.from('%PDF-1.7 no picture') })
  expect(await makeCandidate(site.services, id, actor)).toEqual({ ok: true, photo: 'unreadable' })
  expect((await draft())[1]!.galeria).toEqual([{ foto: '', alt: '', foco: [50, 50] }])
})

test('an id is never given to another candidate; a candidate who was only taken off the list gets hers back', async () => {
  const { db, clock } = site.services
  await db
    .insertInto('retiradas')
    .values({ edicion: YEAR, candidata: 'ana-maria-colorin', quien: null, at: clock.now() })
    .execute()
  const id = await sow()
  await makeCandidate(site.services, id, actor)
  expect((await draft()).map((candidate) => candidate.id)).toEqual(['eva-ceiba', 'ana-maria-colorin-2'])
  const twin = await sow()
  await makeCandidate(site.services, twin, actor)
  const base = (await readLatestPublication(db, YEAR))!
  const { values, version } = await readDraft(db, YEAR, base.valores)
  const write = { edition: YEAR, document: 'candidatas.yaml', accountId: null, now: clock.now() }
  const value = { ...(values['candidatas.yaml'] as object), candidatas: (await draft()).toSpliced(1, 1) }
  const readBase = async () => ({ version: '', values: base.valores })
  await saveDocument(db, readBase, { ...write, value, seenVersion: String(version) })
  expect(await readCandidateStatus(db, id)).toEqual({ kind: 'possible', hasPhotoConsent: false })
  await makeCandidate(site.services, id, actor)
  expect((await draft()).map((candidate) => candidate.id)).toEqual([
    'eva-ceiba',
    'ana-maria-colorin-3',
    'ana-maria-colorin-2',
  ])
})

test('only an accepted entry of the displayed edition becomes a candidate, and no more than twelve', async () => {
  const { db, clock } = site.services
  const waiting = await seedEntry(site.services)
  const older = await sow({ edicion: 2024 })
  const costume = await seedEntry(site.services, { tipo: 'traje' })
  for (const id of [waiting, older, costume, 999_999]) {
    expect(await readCandidateStatus(db, id)).toBeUndefined()
    expect(await makeCandidate(site.services, id, actor)).toEqual({ ok: false, reason: 'ineligible' })
  }
  const base = (await readLatestPublication(db, YEAR))!
  await db.transaction().execute(async (tx) => {
    for (let count = 1; count < 12; count++)
      await addCandidate(
        tx,
        base,
        { nombre: `Una ${count}`, edad: 20, carrera: 'Estudiante', foto: undefined, id: undefined },
        { accountId: null, now: clock.now() },
      )
  })
  const one = await sow()
  expect(await makeCandidate(site.services, one, actor)).toEqual({ ok: false, reason: 'full' })
  expect(await draft()).toHaveLength(12)
})

test('deleting an entry removes its link to the candidate, and the candidate stays', async () => {
  const { db } = site.services
  const id = await sow({ mayPublishFace: true })
  await makeCandidate(site.services, id, actor)
  expect(await deleteEntry(site.services, id, 'solicitud', actor)).toMatchObject({ ok: true, isPending: false })
  expect(await db.selectFrom('candidatas_de_inscripciones').selectAll().execute()).toEqual([])
  expect((await draft()).map((candidate) => candidate.nombre)).toEqual(['Eva Ceiba', 'Ana María Colorín'])
})
