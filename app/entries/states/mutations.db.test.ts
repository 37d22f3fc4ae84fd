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
  await createAccount(site.services.db, { correo: 'eva@comite.example', rol: 'admin' }, actor)
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
  expect(await changeState(db(), { id, version: 1 }, { a: 'en-revision', nota: '' }, actor)).toEqual({ ok: true })
  const note = 'ñ'.repeat(1000)
  expect(await changeState(db(), { id, version: 2 }, { a: 'aceptada', nota: note, paraPersona: true }, actor)).toEqual({
    ok: true,
  })
  expect(await undoChange(db(), { id, version: 3 }, actor)).toEqual({ ok: true })
  const { estado, version, historia } = await read(id)
  expect([estado, version]).toEqual(['en-revision', 4])
  expect(historia.map(({ de, a, quien }) => [de, a, quien])).toEqual([
    ['aceptada', 'en-revision', 'eva@comite.example'],
    ['en-revision', 'aceptada', 'eva@comite.example'],
    ['recibida', 'en-revision', 'eva@comite.example'],
  ])
  expect(historia.map(({ paraPersona }) => paraPersona)).toEqual([false, true, false])
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
    await changeState(db(), view, { a: 'recibida', nota: '' }, actor),
    await changeState(db(), view, { a: 'aceptada', nota: 'x'.repeat(1001) }, actor),
    await undoChange(db(), view, actor),
    await requestDocument(db(), view, { documento: 0, nota: 'Está borrosa', avisar: notify }, actor),
    await requestDocument(db(), view, { documento: 0, nota: '', avisar: notify }, actor),
    await changeState(db(), { id: 999_999, version: 1 }, { a: 'aceptada', nota: '' }, actor),
  ]
  expect(refusals.map((one) => !one.ok && one.reason)).toEqual([
    'estado',
    'nota',
    'sin-cambio',
    'documento',
    'nota',
    'borrada',
  ])
  expect(await read(id)).toMatchObject({ estado: 'recibida', version: 1, historia: [] })
})

test('of two organisers at once, one is told of the other’s change', async () => {
  const id = await seedEntry(site.services)
  const view = { id, version: 1 }
  const both = await Promise.all([
    changeState(db(), view, { a: 'aceptada', nota: '' }, actor),
    changeState(db(), view, { a: 'rechazada', nota: '' }, actor),
  ])
  const late = both.find((one) => !one.ok)
  const { estado, historia } = await read(id)
  expect(historia).toHaveLength(1)
  expect(late).toMatchObject({ reason: 'version', quien: 'eva@comite.example', estado })
})

test('an organiser who acts after the entrant is told so, also while another document is awaited', async () => {
  const id = await seedEntry(site.services)
  const now = new Date('2030-01-01T12:00:00Z')
  const sent = new Date('2030-01-01T12:05:00Z')
  expect(await changeState(db(), { id, version: 1, at: now }, { a: 'en-revision', nota: '' }, actor)).toEqual({
    ok: true,
  })
  expect((await read(id)).historia[0]!.at).toEqual(now)
  const late = () => changeState(db(), { id, version: 1, at: now }, { a: 'aceptada', nota: '' }, actor)
  expect(await late()).toMatchObject({ reason: 'version', quien: 'eva@comite.example', at: now })
  await db().updateTable('documentos').set({ recibido_at: sent }).where('inscripcion_id', '=', id).execute()
  expect(await late()).toMatchObject({ reason: 'version', quien: null, at: sent })
})

test('a single document is asked for again, once, until the entry goes on without it', async () => {
  const id = await seedEntry(site.services)
  const { documentos } = await read(id)
  const reverso = documentos.find(({ lado }) => lado === 'reverso')!
  const ask = (version: number) =>
    requestDocument(
      db(),
      { id, version },
      { documento: reverso.id, nota: 'No se lee el número', avisar: notify },
      actor,
    )
  expect(await ask(1)).toEqual({ ok: true })
  expect(await ask(2)).toMatchObject({ ok: false, reason: 'ya-pedido' })
  expect(await read(id)).toMatchObject({
    estado: 'falta-documento',
    solicitudes: [{ clase: 'credencialElector', lado: 'reverso', nota: 'No se lee el número' }],
  })
  expect(await undoChange(db(), { id, version: 2 }, actor)).toEqual({ ok: true })
  expect(await read(id)).toMatchObject({ estado: 'recibida', solicitudes: [] })
  // Undoing leads back to the request, which is open again; requests withdrawn earlier stay closed.
  expect(await undoChange(db(), { id, version: 3 }, actor)).toEqual({ ok: true })
  expect(await read(id)).toMatchObject({ estado: 'falta-documento', solicitudes: [{ lado: 'reverso' }] })
  expect(await changeState(db(), { id, version: 4 }, { a: 'aceptada', nota: '' }, actor)).toEqual({ ok: true })
  expect(await changeState(db(), { id, version: 5 }, { a: 'falta-documento', nota: '' }, actor)).toEqual({ ok: true })
  expect((await read(id)).solicitudes).toEqual([])
  expect(await undoChange(db(), { id, version: 6 }, actor)).toEqual({ ok: true })
})
