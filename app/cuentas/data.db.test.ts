import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../tests/database.ts'
import { listBitacora } from './data.server.ts'
import { anotar } from './mutations.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('the log leads back the way it came, the first page whole again', async () => {
  const { db } = database
  for (let line = 0; line < 250; line++)
    await anotar(db, { que: line % 5 ? 'ajuste.prueba' : 'salida', sobre: null, quien: null, desde: 'prueba' })
  const page = async (donde: Parameters<typeof listBitacora>[2], filtro = {}) => {
    const { lineas, masNuevas, masAntiguas } = await listBitacora(db, filtro, donde)
    return { ids: lineas.map(({ id }) => id), masNuevas, masAntiguas }
  }
  const first = await page({})
  const second = await page({ antes: first.masAntiguas })
  const last = await page({ antes: second.masAntiguas })
  expect([first, second, last].map(({ ids }) => ids.length)).toEqual([100, 100, 50])
  expect([first.masNuevas, last.masAntiguas]).toEqual([undefined, undefined])
  expect(await page({ despues: last.masNuevas })).toEqual(second)
  expect(await page({ despues: second.masNuevas })).toEqual(first)
  expect(await page({ despues: first.ids[3] })).toEqual(first)
  expect((await page({}, { que: 'salida' })).ids).toHaveLength(50)
})

test('the log says of a voter neither the address nor the account, and is not narrowed to one', async () => {
  const { db } = database
  await db
    .insertInto('profiles')
    .values([
      { id: 'vota', name: '', email: 'vota@correo.mx' },
      { id: 'escribe', name: '', email: 'escribe@medio.mx', role: 'prensa' },
    ])
    .execute()
  const did = (que: string, quien: string, sobre: string | null = null) =>
    anotar(db, { que, quien, sobre, desde: 'prueba' })
  await did('acceso.codigo', 'vota')
  // A journalist who had voted before.
  await did('acceso.google', 'escribe')
  await did('salida', 'vota')
  await did('cuenta.prueba', 'escribe', 'vota')
  await did('acceso', 'escribe')
  const of = async (filtro: Parameters<typeof listBitacora>[1]) => (await listBitacora(db, filtro)).lineas
  const newest = (await of({})).slice(0, 5)
  expect(newest.map(({ que, quien, sobre }) => [que, quien, sobre])).toEqual([
    ['acceso', 'escribe@medio.mx', null],
    ['cuenta.prueba', 'escribe@medio.mx', 'Votante'],
    ['salida', 'Votante', null],
    ['acceso.google', 'Votante', null],
    ['acceso.codigo', 'Votante', null],
  ])
  // An attempt that failed: on an account, on a voter's, on none that there is, by Google.
  const failed = ['escribe', 'vota', 'kJ8s0-rastro-de-nadie', 'google']
  for (const sobre of failed) await anotar(db, { que: 'acceso.fallido', quien: null, sobre, desde: 'prueba' })
  expect((await of({})).slice(0, 4).map(({ sobre, esRastro }) => [sobre, esRastro])).toEqual([
    ['google', false],
    ['kJ8s0-rastro-de-nadie', true],
    ['Votante', false],
    ['escribe@medio.mx', false],
  ])
  expect(await of({ persona: 'vota@correo.mx' })).toEqual([])
  expect((await of({ persona: 'escribe@medio.mx' })).map(({ que }) => que)).toEqual([
    'acceso.fallido',
    'acceso',
    'cuenta.prueba',
  ])
})
