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
