import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Edit, type FieldPath, MAX_ITEMS, seenItemsTo, valueAt } from '#app/cms/schema/edits.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { watchThread } from '#tests/support/site/held-thread.ts'
import { DraftFullError, discardDraft, forgetPublished, readDraft, saveFields } from './draft-store.server.ts'

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

const set = (field: FieldPath, now: unknown, seen: Record<string, unknown> = publishedContent): Edit => {
  const document = field[0] === 'nombre' ? 'edicion.yaml' : 'inicio.yaml'
  const value = seen[document]
  return {
    que: 'poner',
    documento: document,
    campo: field,
    vistos: seenItemsTo(value, field),
    antes: valueAt(value, field),
    ahora: now,
  }
}
const save = (edits: Edit[], who: string | null = null) =>
  saveFields(database.db, 2025, publishedContent, edits, who, now)
const read = () => readDraft(database.db, 2025, publishedContent)

test('without a draft everything is as published', async () => {
  expect(await read()).toEqual({ values: publishedContent, version: 0, documents: {} })
})

test('two people change different fields of a document, and both are kept', async () => {
  const done = await Promise.all([
    save([set(['introduccion'], 'Adiós')], 'ana'),
    save([set(['noticias', 0, 'titulo'], 'Primera')], 'eva'),
  ])
  expect(done.flatMap(({ results }) => results)).toEqual([{ ok: true }, { ok: true }])
  const { values, version, documents } = await read()
  expect(values['inicio.yaml']).toEqual({ introduccion: 'Adiós', noticias: [{ titulo: 'Primera', texto: 'a' }] })
  expect(values['edicion.yaml']).toBe(publishedContent['edicion.yaml'])
  expect(documents['inicio.yaml']).toEqual({
    version,
    quien: expect.stringMatching(/^(ana|eva)@/),
    at: now,
    isChanged: true,
  })
})

test('of two people who change the same field, the second gets the current value and its author', async () => {
  await save([set(['introduccion'], 'De Ana')], 'ana')
  const { results } = await save([set(['introduccion'], 'De Eva'), set(['nombre'], 'Reina')], 'eva')
  expect(results).toEqual([{ ok: false, actual: 'De Ana', quien: 'ana@certamen.example' }, { ok: true }])
  expect((await read()).values).toMatchObject({
    'inicio.yaml': { introduccion: 'De Ana' },
    'edicion.yaml': { nombre: 'Reina' },
  })
})

test('of twenty concurrent changes of one field, exactly one is saved', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => save([set(['introduccion'], `Texto ${at}`)])))
  expect(all.filter(({ results }) => results[0]!.ok)).toHaveLength(1)
})

test('each save gets a new version, and the same value again gets none', async () => {
  const first = await save([set(['introduccion'], 'Uno')])
  const seen = (await read()).values
  const second = await save([set(['introduccion'], 'Dos', seen)])
  const [one, two] = [first, second].map(({ documents }) => documents['inicio.yaml']!)
  expect(two!.before).toBe(one!.version)
  expect(two!.version).toBeGreaterThan(one!.version)
  expect((await save([set(['introduccion'], 'Dos', seen)])).documents).toEqual({})
})

test('an unknown document is refused', async () => {
  const { results } = await save([{ ...set(['introduccion'], 'x'), documento: 'otro.yaml' }])
  expect(results).toEqual([{ ok: false, actual: undefined, quien: null }])
  expect((await read()).version).toBe(0)
})

test('a text equal to the publication leaves nothing to publish', async () => {
  await save([set(['introduccion'], 'Otro')])
  await save([set(['introduccion'], 'Hola', (await read()).values)])
  expect((await read()).documents['inicio.yaml']?.isChanged).toBe(false)
})

test('published documents leave the draft, and later changes stay', async () => {
  await save([set(['introduccion'], 'Publicado')])
  const { version } = await read()
  await save([set(['nombre'], 'Después')])
  await database.db.transaction().execute((tx) => forgetPublished(tx, 2025, version))
  const { values, documents } = await read()
  expect(Object.keys(documents)).toEqual(['edicion.yaml'])
  expect(values['inicio.yaml']).toBe(publishedContent['inicio.yaml'])
})

test('one document or the whole draft can be discarded, and the log names the account', async () => {
  await save([set(['introduccion'], 'Uno'), set(['nombre'], 'Dos')])
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

test('a list that would exceed its limit is not saved, and the draft stays as it was', async () => {
  const items = Array.from({ length: MAX_ITEMS }, () => ({ titulo: '', texto: '' }))
  await save([set(['noticias'], items)])
  const add: Edit = {
    ...{ que: 'agregar', documento: 'inicio.yaml', campo: ['noticias'], vistos: [] },
    ...{ en: 0, largo: MAX_ITEMS, ahora: { titulo: 'Una más', texto: '' } },
  }
  await expect(save([add])).rejects.toThrow(DraftFullError)
  expect((await read()).values['inicio.yaml']).toMatchObject({ noticias: items })
})

test('a save of many edits yields to the event loop', async () => {
  const items = Array.from({ length: MAX_ITEMS }, (_, at) => ({ ...Array(20).fill('a'), 19: `${at}` }))
  await save([set(['noticias'], items)])
  // Every edit searches the whole list for its item, in vain.
  const move = { documento: 'inicio.yaml', campo: ['noticias'], vistos: [], antes: { ...Array(20).fill('a') } }
  const all = Array.from({ length: MAX_ITEMS }, (): Edit => ({ que: 'mover', ...move, en: MAX_ITEMS, a: 1 }))
  const thread = watchThread()
  const before = process.threadCpuUsage()
  await save(all)
  const { user } = process.threadCpuUsage(before)
  thread.end()
  expect(thread.take() * 4).toBeLessThan(user / 1_000)
})
