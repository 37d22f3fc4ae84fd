import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { listSettings, readEditionSettings } from './data.server.ts'
import { changeSetting } from './mutations.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const actor = { quien: null, desde: 'prueba' }
const name = 'privacidad.dias'
const now = new Date('2025-09-26T00:05:00-06:00')
const set = (value: number | undefined, version: number) =>
  changeSetting(database.db, 2025, { name, value, version }, actor, now)

test('a setting is set, changed and reset to the content; of two concurrent changes one is refused', async () => {
  const { db } = database
  const both = await Promise.all([set(30, 0), set(60, 0)])
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
  expect(both.find(({ ok }) => !ok)).toMatchObject({ reason: 'version' })
  expect([30, 60]).toContain((await readEditionSettings(db))[name])
  const again = await Promise.all([set(45, 1), set(46, 1)])
  expect(again.map(({ ok }) => ok).sort()).toEqual([false, true])
  // `at` is by the site's clock.
  expect((await listSettings(db, 2025))[name]).toEqual({ version: 2, isSet: true, author: null, at: now })
  expect(await set(undefined, 1)).toMatchObject({ ok: false, reason: 'version' })
  expect(await set(undefined, 2)).toEqual({ ok: true })
  expect((await readEditionSettings(db))[name]).toBe(90)
  const log = await db
    .selectFrom('bitacora')
    .select(['edicion', 'datos'])
    .where('que', '=', `ajuste.${name}`)
    .orderBy('id')
    .execute()
  expect(log).toHaveLength(3)
  expect(log[1]).toEqual({ edicion: 2025, datos: { valor: expect.any(Number) } })
  expect(log[2]).toEqual({ edicion: 2025, datos: null })
})

test('a change based on a version from before a reset is refused', async () => {
  const { db } = database
  const seen = (await listSettings(db, 2025))[name]!
  expect(seen).toMatchObject({ version: 3, isSet: false })
  // After the reset, neither version 0 nor any other earlier version is accepted.
  for (const old of [0, 1, 2]) expect(await set(20, old), String(old)).toMatchObject({ reason: 'version' })
  expect(await set(40, 3)).toEqual({ ok: true })
  for (const old of [0, 1, 2, 3]) expect(await set(20, old), String(old)).toMatchObject({ reason: 'version' })
  expect(await set(undefined, 4)).toEqual({ ok: true })
  expect((await readEditionSettings(db))[name]).toBe(90)
})

test('an invalid value is refused, and changes nothing', async () => {
  for (const bad of [0, 3_651, 1.5, Number.NaN])
    expect(await set(bad, 0), String(bad)).toMatchObject({ reason: 'valor' })
  for (const closes of ['2025-08-01T00:00:00-06:00', '2025-08-02T00:00:00-06:00']) {
    const period = { abre: '2025-08-02T00:00:00-06:00', cierra: closes }
    expect(
      await changeSetting(database.db, 2025, { name: 'registro.trajes', value: period, version: 0 }, actor, now),
    ).toMatchObject({ reason: 'valor', message: 'El cierre debe ser posterior a la apertura.' })
  }
  expect((await readEditionSettings(database.db))[name]).toBe(90)
})
