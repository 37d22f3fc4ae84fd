import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { listAuditLog } from './data.server.ts'
import { writeAuditLog } from './mutations.server.ts'
import { type AuditEvent, subjectInWords } from './schema.ts'

const NOBODY = { quien: null, desde: 'prueba' }

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('paging forth and back through the log gives the same pages, and the first page whole', async () => {
  const { db } = database
  for (let line = 0; line < 100; line++)
    await writeAuditLog(db, NOBODY, line % 5 ? { que: 'voto.exportado', tabla: 'horas.csv' } : { que: 'salida' })
  const page = async (where: Parameters<typeof listAuditLog>[2], filter = {}) => {
    const { lines, newerThan, olderThan } = await listAuditLog(db, filter, where)
    return { ids: lines.map(({ id }) => id), newer: newerThan, older: olderThan }
  }
  const first = await page({})
  const second = await page({ before: first.older })
  const last = await page({ before: second.older })
  expect([first, second, last].map(({ ids }) => ids.length)).toEqual([40, 40, 20])
  expect([first.newer, last.older]).toEqual([undefined, undefined])
  expect(await page({ after: last.newer })).toEqual(second)
  expect(await page({ after: second.newer })).toEqual(first)
  expect(await page({ after: first.ids[3] })).toEqual(first)
  expect((await page({}, { que: 'salida' })).ids).toHaveLength(20)
})

test('the log is narrowed to the lines between two moments, both of them included', async () => {
  const { db } = database
  const moments = ['2099-09-01T10:00:00Z', '2099-09-02T10:00:00Z', '2099-09-03T10:00:00Z'].map((at) => new Date(at))
  for (const at of moments)
    await sql`insert into bitacora (que, desde, at) values ('salida', 'prueba', ${at})`.execute(db)
  const between = async (from?: Date, until?: Date) =>
    (await listAuditLog(db, { from, to: until })).lines.map(({ at }) => at)
  expect(await between(moments[1])).toEqual([moments[2], moments[1]])
  expect(await between(moments[0], moments[1])).toEqual([moments[1], moments[0]])
  expect(await between(moments[1], moments[1])).toEqual([moments[1]])
  expect(await between(new Date(moments[2]!.getTime() + 1))).toEqual([])
})

test('the log hides the address, account and network of a voter, and does not filter by a voter', async () => {
  const { db } = database
  await db
    .insertInto('profiles')
    .values([
      { id: 'vota', name: '', email: 'vota@correo.mx' },
      { id: 'escribe', name: '', email: 'escribe@medio.mx', role: 'prensa' },
    ])
    .execute()
  const did = (who: string, event: AuditEvent) => writeAuditLog(db, { quien: who, desde: 'prueba' }, event)
  await did('vota', { que: 'acceso.codigo' })
  // This journalist had voted before.
  await did('escribe', { que: 'acceso.google' })
  await did('vota', { que: 'salida' })
  await did('escribe', { que: 'cuenta.baja', cuenta: 'vota' })
  await did('escribe', { que: 'acceso' })
  const of = async (filter: Parameters<typeof listAuditLog>[1]) => (await listAuditLog(db, filter)).lines
  const newest = (await of({})).slice(0, 5)
  // The network is hidden, too: a voter's line could be matched with the line of a named person.
  expect(newest.map(({ que: eventName, quien, cuenta, desde }) => [eventName, quien, cuenta, desde])).toEqual([
    ['acceso', 'escribe@medio.mx', null, 'prueba'],
    ['cuenta.baja', 'escribe@medio.mx', 'Votante', 'prueba'],
    ['salida', 'Votante', null, null],
    ['acceso.google', 'Votante', null, null],
    ['acceso.codigo', 'Votante', null, null],
  ])
  // Failed sign-ins: an account with a role, a voter's account, an address without an account, Google.
  const eventName = 'acceso.fallido'
  await writeAuditLog(
    db,
    NOBODY,
    { que: eventName, cuenta: 'escribe' },
    { que: eventName, cuenta: 'vota' },
    { que: eventName, rastro: 'kJ8s0-rastro-de-nadie' },
  )
  await writeAuditLog(db, NOBODY, { que: eventName, via: 'google' })
  expect((await of({})).slice(0, 4).map(subjectInWords)).toEqual([
    ...['google', 'cuenta kJ8s0-', 'Votante', 'escribe@medio.mx'],
  ])
  expect((await of({})).slice(0, 4).map(({ desde }) => desde)).toEqual(['prueba', 'prueba', null, 'prueba'])
  expect(await of({ account: 'vota@correo.mx' })).toEqual([])
  expect((await of({ account: 'escribe@medio.mx' })).map(({ que: eventName }) => eventName)).toEqual([
    'acceso.fallido',
    'acceso',
    'cuenta.baja',
  ])
})
