import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { readEntry } from '#app/entries/data.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { changeState, requestDocument, undoChange } from './mutations.server.ts'

let site: TestSite
const actor = { quien: 'nadie', desde: 'prueba' }
beforeAll(async () => {
  site = await openTestSite()
  await createAccount(site.services.db, { email: 'eva@comite.example', role: 'admin' }, actor)
  const eva = await site.services.db.selectFrom('profiles').select('id').executeTakeFirstOrThrow()
  actor.quien = eva.id
})
afterAll(() => site.close())

const db = () => site.services.db
/** The tests of messages/ cover the notices to the entrant. */
const notify = async () => {}
const read = async (id: number) => (await readEntry(db(), id))!

test('an entry goes from state to state with a note, back again, and remembers all of it', async () => {
  const id = await seedEntry(site.services)
  expect(await changeState(db(), { id, version: 1 }, { to: 'en-revision', note: '' }, actor)).toEqual({ ok: true })
  const note = 'ñ'.repeat(1000)
  expect(await changeState(db(), { id, version: 2 }, { to: 'aceptada', note, isForEntrant: true }, actor)).toEqual({
    ok: true,
  })
  expect(await undoChange(db(), { id, version: 3 }, actor)).toEqual({ ok: true })
  const { estado, version, history } = await read(id)
  expect([estado, version]).toEqual(['en-revision', 4])
  expect(history.map(({ de, a, author }) => [de, a, author])).toEqual([
    ['aceptada', 'en-revision', 'eva@comite.example'],
    ['en-revision', 'aceptada', 'eva@comite.example'],
    ['recibida', 'en-revision', 'eva@comite.example'],
  ])
  expect(history.map(({ isForEntrant }) => isForEntrant)).toEqual([false, true, false])
  const log = await db()
    .selectFrom('bitacora')
    .select(['que', 'inscripcion'])
    .where('que', 'like', 'inscripcion.%')
    .execute()
  expect(log).toContainEqual({ que: 'inscripcion.aceptada', inscripcion: id })
})

test('an impossible change is refused, and changes nothing', async () => {
  const id = await seedEntry(site.services)
  const view = { id, version: 1 }
  const refusals = [
    await changeState(db(), view, { to: 'recibida', note: '' }, actor),
    await changeState(db(), view, { to: 'aceptada', note: 'x'.repeat(1001) }, actor),
    await undoChange(db(), view, actor),
    await requestDocument(db(), view, { documentId: 0, note: 'Está borrosa', notify }, actor),
    await requestDocument(db(), view, { documentId: 0, note: '', notify }, actor),
    await changeState(db(), { id: 999_999, version: 1 }, { to: 'aceptada', note: '' }, actor),
  ]
  expect(refusals.map((one) => !one.ok && one.reason)).toEqual([
    'estado',
    'nota',
    'sin-cambio',
    'documento',
    'nota',
    'borrada',
  ])
  expect(await read(id)).toMatchObject({ estado: 'recibida', version: 1, history: [] })
})

test('an entry whose deletion is being retried is not changed', async () => {
  const id = await seedEntry(site.services)
  await db()
    .insertInto('borrados')
    .values({ inscripcion_id: id, acuse: 'B-AAAAA-CCCCC', bucket: 'registro', carpeta: 'x', motivo: 'solicitud' })
    .execute()
  const change = await changeState(db(), { id, version: 1 }, { to: 'aceptada', note: '' }, actor)
  expect(change).toEqual({ ok: false, reason: 'borrada' })
})

test('an entrant is not asked for the document of another entry, nor for one that was replaced', async () => {
  const [id, other] = [await seedEntry(site.services), await seedEntry(site.services)]
  const [own, foreign] = [(await read(id)).documents[0]!, (await read(other)).documents[0]!]
  const ask = (documentId: number) =>
    requestDocument(db(), { id, version: 1 }, { documentId, note: 'Está borrosa', notify }, actor)
  await db().updateTable('documentos').set({ reemplazado_at: new Date() }).where('id', '=', own.id).execute()
  for (const documentId of [own.id, foreign.id])
    expect(await ask(documentId)).toEqual({ ok: false, reason: 'documento' })
  expect(await read(id)).toMatchObject({ estado: 'recibida', requests: [] })
})

test('of two organisers at once, one is told of the other’s change', async () => {
  const id = await seedEntry(site.services)
  const view = { id, version: 1 }
  const both = await Promise.all([
    changeState(db(), view, { to: 'aceptada', note: '' }, actor),
    changeState(db(), view, { to: 'rechazada', note: '' }, actor),
  ])
  const late = both.find((one) => !one.ok)
  const { estado, history } = await read(id)
  expect(history).toHaveLength(1)
  expect(late).toMatchObject({ reason: 'version', author: 'eva@comite.example', estado })
})

test('an organiser who acts after the entrant is told so, also while another document is awaited', async () => {
  const id = await seedEntry(site.services)
  const now = new Date('2030-01-01T12:00:00Z')
  const sent = new Date('2030-01-01T12:05:00Z')
  expect(await changeState(db(), { id, version: 1, at: now }, { to: 'en-revision', note: '' }, actor)).toEqual({
    ok: true,
  })
  expect((await read(id)).history[0]!.at).toEqual(now)
  const late = () => changeState(db(), { id, version: 1, at: now }, { to: 'aceptada', note: '' }, actor)
  expect(await late()).toMatchObject({ reason: 'version', author: 'eva@comite.example', at: now })
  await db().updateTable('documentos').set({ recibido_at: sent }).where('inscripcion_id', '=', id).execute()
  expect(await late()).toMatchObject({ reason: 'version', author: null, at: sent })
})

test('a single document is asked for again, once, until the entry goes on without it', async () => {
  const id = await seedEntry(site.services)
  const { documents } = await read(id)
  const back = documents.find(({ lado }) => lado === 'reverso')!
  const ask = (version: number) =>
    requestDocument(db(), { id, version }, { documentId: back.id, note: 'No se lee el número', notify }, actor)
  expect(await ask(1)).toEqual({ ok: true })
  expect(await ask(2)).toMatchObject({ ok: false, reason: 'ya-pedido' })
  expect(await read(id)).toMatchObject({
    estado: 'falta-documento',
    requests: [{ clase: 'credencialElector', lado: 'reverso', nota: 'No se lee el número' }],
  })
  expect(await undoChange(db(), { id, version: 2 }, actor)).toEqual({ ok: true })
  expect(await read(id)).toMatchObject({ estado: 'recibida', requests: [] })
  // Undoing leads back to the request, which is open again; requests withdrawn earlier stay closed.
  expect(await undoChange(db(), { id, version: 3 }, actor)).toEqual({ ok: true })
  expect(await read(id)).toMatchObject({ estado: 'falta-documento', requests: [{ lado: 'reverso' }] })
  expect(await changeState(db(), { id, version: 4 }, { to: 'aceptada', note: '' }, actor)).toEqual({ ok: true })
  expect(await changeState(db(), { id, version: 5 }, { to: 'falta-documento', note: '' }, actor)).toEqual({ ok: true })
  expect((await read(id)).requests).toEqual([])
  expect(await undoChange(db(), { id, version: 6 }, actor)).toEqual({ ok: true })
})
