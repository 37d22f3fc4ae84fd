import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { EDITION_BUCKET, fileObjectPath, saveEditionFile } from '#app/cms/media/file-store.server.ts'
import { IMAGES_FOLDER } from '#app/cms/media/image-manifest.server.ts'
import { type EditionValues, readEdition } from '#app/cms/schema/read-content.server.ts'
import { createFolderDurably } from '#app/core/process/durable-files.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import {
  insertPublication,
  readLatestPublication,
  readPublication,
  setCurrentPublication,
} from './publications.server.ts'
import { hasSameWithdrawn } from './rules.ts'
import { deleteWithdrawnFiles, documentsWithoutWithdrawn, withdrawCandidate } from './withdrawal.server.ts'

const ID = 'renata-cempasuchil-nava'
const clock = createClock('2025-09-20T12:00-06:00')
let database: TestDatabase
let folder: string
let storage: ObjectStorage
let first: number
let second: number
let sha256: string

const services = () => ({ db: database.db, clock, storage, settings: readSettings({ DATA_DIR: folder }) })
const idsOf = (values: EditionValues) =>
  (values['candidatas.yaml'] as { candidatas: { id: string }[] }).candidatas.map(({ id }) => id)

beforeAll(async () => {
  database = await freshDatabase()
  folder = await mkdtemp(join(tmpdir(), 'retiro-'))
  storage = await openFolderStorage(folder)
  const { db } = database
  const bytes = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#402' } })
    .jpeg()
    .toBuffer()
  const dimensions = { ancho: 900, alto: 600, vista: 'data:image/webp;base64,AAAA' }
  const saved = await saveEditionFile({ db, storage }, { tipo: 'image/jpeg', bytes, dimensions })
  sha256 = saved.sha256
  const { values } = await readEdition()
  const list = values['candidatas.yaml'] as { candidatas: { id: string; silueta: { foto: string } }[] }
  const candidates = list.candidatas.map((candidate) =>
    candidate.id === ID ? { ...candidate, silueta: { ...candidate.silueta, foto: saved.ruta } } : candidate,
  )
  const newOne = {
    edicion: 2025,
    valores: { ...values, 'candidatas.yaml': { ...list, candidatas: candidates } },
    archivos: { [saved.ruta]: sha256 },
    origen: 'panel' as const,
  }
  first = await insertPublication(db, newOne, 'publicada', clock.now())
  const changed = {
    ...newOne,
    valores: { ...newOne.valores, 'prensa.yaml': { ...(values['prensa.yaml'] as object), gracias: 'Otra.' } },
  }
  second = await insertPublication(db, changed, 'publicada', clock.now())
  await setCurrentPublication(db, { id: second, edicion: 2025 }, clock.now())
  await db
    .insertInto('borradores')
    .values({
      edicion: 2025,
      documento: 'candidatas.yaml',
      valor: JSON.stringify({ ...list, candidatas: candidates }),
      version: 1,
      quien: null,
      updated_at: clock.now(),
    })
    .execute()
  await createFolderDurably(join(folder, IMAGES_FOLDER))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

test('a withdrawn candidate is gone from every publication, the draft, the storage and the disk, and does not come back', async () => {
  const { db } = database
  const pictures = join(folder, IMAGES_FOLDER)
  const set = (state: 'preparando' | 'publicada') =>
    db.updateTable('publicaciones').set({ estado: state }).where('id', '=', second).execute()
  await set('preparando')
  expect(await withdrawCandidate(services(), { year: 2025, candidateId: ID, hasVotes: false }, TERMINAL)).toEqual({
    ok: false,
    reason: 'busy',
  })
  await set('publicada')
  expect(await withdrawCandidate(services(), { year: 2025, candidateId: ID, hasVotes: false }, TERMINAL)).toMatchObject(
    {
      ok: true,
    },
  )
  for (const id of [first, second]) {
    const row = (await readPublication(db, id))!
    expect(idsOf(row.valores)).not.toContain(ID)
    expect(JSON.stringify(row.valores)).not.toContain('Renata')
    expect(row.archivos).toEqual({})
  }
  const [draft] = await db.selectFrom('borradores').selectAll().execute()
  expect(JSON.stringify(draft!.valor)).not.toContain('Renata')

  const [withdrawnCandidate] = await db.selectFrom('retiradas').selectAll().execute()
  const names = withdrawnCandidate!.nombres
  for (const name of names)
    await writeFile(join(pictures, name.startsWith('tarjeta') ? `${name}-0123456789.jpg` : `${name}-480.avif`), '')
  await writeFile(join(pictures, `archivo-${sha256}.jpg`), '')
  await writeFile(join(pictures, `tarjeta-candidata-${ID}-otra-0123456789.jpg`), '')
  await storage.putBytes(EDITION_BUCKET, `tamanos/${names[0]}-480.avif`, new Uint8Array(1), {
    contentType: 'image/avif',
    cacheControlSeconds: 1,
  })
  await deleteWithdrawnFiles(services(), folder)
  // Another candidate, whose id begins with the same words, keeps her card.
  expect(await readdir(pictures)).toEqual([`tarjeta-candidata-${ID}-otra-0123456789.jpg`])
  expect(await storage.head(EDITION_BUCKET, fileObjectPath(sha256))).toBeUndefined()
  expect(await storage.head(EDITION_BUCKET, `tamanos/${names[0]}-480.avif`)).toBeUndefined()

  // Pending, restored and imported publications leave the candidate out, too.
  await db.updateTable('publicaciones').set({ estado: 'publicada' }).where('estado', '=', 'preparando').execute()
  await setCurrentPublication(db, { id: second, edicion: 2025 }, clock.now())
  const { values } = await readEdition()
  expect(idsOf(values)).toContain(ID)
  expect(idsOf(await documentsWithoutWithdrawn(db, 2025, values))).not.toContain(ID)
  expect((await db.selectFrom('bitacora').select('que').execute()).map(({ que }) => que)).toContain('sitio.retirada')
  expect(idsOf((await readLatestPublication(db, 2025))!.valores)).toHaveLength(4)
})

test('a file of a withdrawn candidate stays where another edition publishes it', async () => {
  const { db } = database
  const bytes = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#240' } })
    .jpeg()
    .toBuffer()
  const dimensions = { ancho: 90, alto: 60, vista: 'data:image/webp;base64,AAAA' }
  const shared = await saveEditionFile({ db, storage }, { tipo: 'image/jpeg', bytes, dimensions })
  const candidate = { id: 'otra-candidata', nombre: 'Otra Candidata', silueta: { foto: shared.ruta, foco: [0, 0] } }
  const publish = (edition: number) =>
    insertPublication(
      db,
      {
        edicion: edition,
        origen: 'panel',
        archivos: { [shared.ruta]: shared.sha256 },
        valores: { 'candidatas.yaml': { candidatas: [candidate] } },
      },
      'publicada',
      clock.now(),
    )
  const [earlier, later] = [await publish(2026), await publish(2027)]
  const next = await publish(2028)
  await setCurrentPublication(db, { id: next, edicion: 2028 }, clock.now())
  const withdrawal = { year: 2027, candidateId: candidate.id, hasVotes: false }
  expect(await withdrawCandidate(services(), withdrawal, TERMINAL)).toMatchObject({ ok: true })
  await deleteWithdrawnFiles(services(), folder)
  expect((await readPublication(db, later))!.archivos).toEqual({})
  expect((await readPublication(db, earlier))!.archivos).toEqual({ [shared.ruta]: shared.sha256 })
  expect(await storage.head(EDITION_BUCKET, fileObjectPath(shared.sha256))).toBeDefined()
  // The displayed edition, whose pages show the past one, is rendered anew.
  const prepared = await db.selectFrom('publicaciones').select('edicion').where('estado', '=', 'preparando').execute()
  expect(prepared).toEqual([{ edicion: 2028 }])
})

test('the files of a candidate who came back after her withdrawal are deleted at the second one, too', async () => {
  const { db } = database
  const withdrawal = { year: 2023, candidateId: 'ana', hasVotes: false }
  const withdrawnFiles: string[] = []
  for (const background of ['#024', '#420']) {
    await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
    const bytes = await sharp({ create: { width: 90, height: 60, channels: 3, background } })
      .jpeg()
      .toBuffer()
    const dimensions = { ancho: 90, alto: 60, vista: 'data:image/webp;base64,AAAA' }
    const file = await saveEditionFile({ db, storage }, { tipo: 'image/jpeg', bytes, dimensions })
    const candidate = { id: 'ana', nombre: 'Ana', silueta: { foto: file.ruta, foco: [0, 0] } }
    const publication = {
      edicion: 2023,
      origen: 'panel' as const,
      archivos: { [file.ruta]: file.sha256 },
      valores: { 'candidatas.yaml': { candidatas: [candidate] } },
    }
    await insertPublication(db, publication, 'publicada', clock.now())
    expect(await withdrawCandidate(services(), withdrawal, TERMINAL)).toMatchObject({ ok: true })
    await deleteWithdrawnFiles(services(), folder)
    withdrawnFiles.push(file.sha256)
  }
  for (const hash of withdrawnFiles) expect(await storage.head(EDITION_BUCKET, fileObjectPath(hash))).toBeUndefined()
})

test('a draft with other candidates, or in another order, can still be published after a withdrawal', async () => {
  const { db } = database
  const year = 2024
  const listOf = (...ids: string[]) => ({ candidatas: ids.map((id) => ({ id, nombre: id })) })
  const publication = {
    edicion: year,
    origen: 'panel' as const,
    archivos: {},
    valores: { 'candidatas.yaml': listOf('ana', 'eva', 'ida') } as EditionValues,
  }
  const id = await insertPublication(db, publication, 'publicada', clock.now())
  await db.insertInto('ediciones').values({ anio: year, publicacion: id }).execute()
  for (const [withdrawnId, draftIds] of [
    ['zoe', ['ana', 'eva', 'ida', 'zoe']],
    ['eva', ['uma', 'ida', 'eva', 'ana']],
    ['ida', ['uma', 'ana']],
  ] as const) {
    await db.updateTable('publicaciones').set({ estado: 'fallida' }).where('estado', '=', 'preparando').execute()
    await db.deleteFrom('borradores').where('edicion', '=', year).execute()
    const { retiradas } = (await readLatestPublication(db, year))!.valores['candidatas.yaml'] as { retiradas?: unknown }
    const value = JSON.stringify({ ...listOf(...draftIds), ...(retiradas !== undefined && { retiradas }) })
    const row = { edicion: year, documento: 'candidatas.yaml', valor: value, version: 1, updated_at: clock.now() }
    await db.insertInto('borradores').values(row).execute()
    const withdrawal = { year, candidateId: withdrawnId, hasVotes: false }
    expect(await withdrawCandidate(services(), withdrawal, TERMINAL)).toMatchObject({ ok: true })
    const draft = await db
      .selectFrom('borradores')
      .select('valor')
      .where('edicion', '=', year)
      .executeTakeFirstOrThrow()
    const draftValues = { 'candidatas.yaml': draft.valor }
    expect(idsOf(draftValues)).toEqual(draftIds.filter((draftId) => draftId !== withdrawnId))
    expect(hasSameWithdrawn((await readLatestPublication(db, year))!.valores, draftValues)).toBe(true)
  }
})
