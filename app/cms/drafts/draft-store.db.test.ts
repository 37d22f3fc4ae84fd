import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MAX_LIST_ITEMS } from '#app/cms/schema/field-path.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import {
  DraftFullError,
  discardDraft,
  readDraft,
  removePublishedDocuments,
  saveDocument,
} from './draft-store.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
  for (const id of ['ana', 'eva'])
    await database.db
      .insertInto('profiles')
      .values({ id, name: id, email: `${id}@certamen.example`, role: 'admin' })
      .execute()
})
afterAll(() => database.drop())
beforeEach(() => database.db.deleteFrom('borradores').execute())

const now = new Date('2025-09-01T12:00:00-06:00')
const publishedContent = {
  'inicio.yaml': { introduccion: 'Hola', noticias: [{ titulo: 'Uno', texto: 'a' }] },
  'edicion.yaml': { nombre: 'Señorita Azahares', anio: 2025 },
}

type Name = keyof typeof publishedContent

const save = (document: Name, value: unknown, seenVersion = 'p1', accountId: string | null = null) =>
  saveDocument(database.db, async () => ({ version: 'p1', values: publishedContent }), {
    edition: 2025,
    document,
    value,
    seenVersion,
    accountId,
    now,
  })
const intro = (introduccion: string) => ({ ...publishedContent['inicio.yaml'], introduccion })
const read = () => readDraft(database.db, 2025, publishedContent)

test('without a draft everything is as published', async () => {
  expect(await read()).toEqual({ values: publishedContent, version: 0, documents: {} })
})

test('a document is saved whole by an author who has seen its newest version', async () => {
  const first = await save('inicio.yaml', intro('Adiós'), 'p1', 'ana')
  const { values, version, documents } = await read()
  expect(first).toBe(String(version))
  expect(values['inicio.yaml']).toEqual(intro('Adiós'))
  expect(values['edicion.yaml']).toBe(publishedContent['edicion.yaml'])
  expect(documents['inicio.yaml']).toEqual({ version, quien: 'ana@certamen.example', at: now, isChanged: true })
  expect(Number(await save('inicio.yaml', intro('Hasta luego'), first))).toBeGreaterThan(version)
})

test('of two people who change the same document, the second saves nothing', async () => {
  await save('inicio.yaml', intro('De Ana'), 'p1', 'ana')
  expect(await save('inicio.yaml', intro('De Eva'), 'p1', 'eva')).toBeUndefined()
  expect(await save('edicion.yaml', { nombre: 'Reina' }, 'p1', 'eva')).toBeDefined()
  expect((await read()).values).toEqual({ 'inicio.yaml': intro('De Ana'), 'edicion.yaml': { nombre: 'Reina' } })
})

test('of twenty concurrent changes of one document, exactly one is saved', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => save('inicio.yaml', intro(`Texto ${at}`))))
  expect(all.filter((version) => version !== undefined)).toHaveLength(1)
})

test('the same value again gets no new version', async () => {
  const first = await save('inicio.yaml', intro('Uno'))
  expect(await save('inicio.yaml', intro('Uno'), first)).toBe(first)
  expect(await save('edicion.yaml', publishedContent['edicion.yaml'])).toBe('p1')
  expect(Object.keys((await read()).documents)).toEqual(['inicio.yaml'])
})

test('a text equal to the publication leaves nothing to publish', async () => {
  await save('inicio.yaml', intro('Hola'), await save('inicio.yaml', intro('Otro')))
  expect((await read()).documents['inicio.yaml']?.isChanged).toBe(false)
})

test('published documents leave the draft, and later changes stay', async () => {
  await save('inicio.yaml', intro('Publicado'))
  const { version } = await read()
  await save('edicion.yaml', { nombre: 'Después' })
  await database.db.transaction().execute((tx) => removePublishedDocuments(tx, 2025, version))
  const { values, documents } = await read()
  expect(Object.keys(documents)).toEqual(['edicion.yaml'])
  expect(values['inicio.yaml']).toBe(publishedContent['inicio.yaml'])
})

test('one document or the whole draft can be discarded, and the log names the account', async () => {
  await save('inicio.yaml', intro('Uno'))
  await save('edicion.yaml', { nombre: 'Dos' })
  const actor = { quien: 'ana', desde: 'prueba' }
  expect(await discardDraft(database.db, 2025, 'inicio.yaml', actor)).toBe(1)
  expect(Object.keys((await read()).documents)).toEqual(['edicion.yaml'])
  expect(await discardDraft(database.db, 2025, undefined, actor)).toBe(1)
  expect(await discardDraft(database.db, 2025, undefined, actor)).toBe(0)
  const log = await database.db
    .selectFrom('bitacora')
    .select(['quien', 'datos'])
    .where('que', '=', 'sitio.descartado')
    .execute()
  expect(log).toEqual([
    { quien: 'ana', datos: { sobre: 'inicio.yaml' } },
    { quien: 'ana', datos: { sobre: 'edicion.yaml' } },
  ])
})

test('a list or text beyond its limit is not saved, and the draft stays as it was', async () => {
  const first = await save('inicio.yaml', intro('Uno'))
  const items = Array.from({ length: MAX_LIST_ITEMS + 1 }, () => ({ titulo: '', texto: '' }))
  await expect(save('inicio.yaml', { noticias: items }, first)).rejects.toThrow(DraftFullError)
  await expect(save('inicio.yaml', intro('a'.repeat(250_000)), first)).rejects.toThrow(DraftFullError)
  expect((await read()).values['inicio.yaml']).toEqual(intro('Uno'))
})
