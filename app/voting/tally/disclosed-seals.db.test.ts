import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVotacion } from '#app/voting/ballot/mutations.server.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { cast, ELECCION, OPEN, sealAll, TABLAS, vote } from '../../../tests/votos.ts'
import { keepGivenAway, readGivenPlaces } from './disclosed-seals.server.ts'
import { ensureApertura } from './opening-record.server.ts'
import { recount } from './recount.server.ts'

let site: TestSite
let services: Services
const sql = async (text: string) => (await site.database.pool.query(text)).rows
const fallas = async () => (await recount(services, ELECCION)).fallas

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => OPEN } }
})
afterAll(() => site.close())
beforeEach(async () => {
  await sql(`truncate ${TABLAS}, correos, profiles, candidatas cascade`)
  for await (const path of services.storage.list('sellos', '')) await services.storage.remove('sellos', path)
})

test('votes that are deleted with their batches, links and the last count are missed by what was published', async () => {
  const votacion = createVotacion(services)
  await cast(votacion, 120, 90)
  await sealAll(services)
  let kept = await keepGivenAway(services, 2025, -1)
  await cast(votacion, 0, 0, 220)
  await sealAll(services)
  kept = await keepGivenAway(services, 2025, kept)
  expect(kept).toBe(2)
  expect(await fallas()).toEqual([])
  // The database's owner takes the second link back, as if it had never been.
  await sql(`delete from banda_digital_votes where lote = (select max(numero) from lotes)`)
  await sql('delete from cajas where numero = 2')
  await sql('delete from recuentos')
  await sql(`delete from votos_por_hora where candidata = '${ELECCION.candidatas[2]!.nombre}'`)
  await sql('delete from lotes where numero = (select max(numero) from lotes)')
  expect(await fallas()).toEqual([expect.stringMatching(/^Este sitio publicó la caja 2 con el sello/)])
})

test('an act of zero that is drawn up once more is not the one that was published', async () => {
  await ensureApertura(services, ELECCION, OPEN, null)
  await vote(createVotacion(services), 0, undefined, randomUUID())
  await sealAll(services)
  await keepGivenAway(services, 2025, -1)
  expect(await fallas()).toEqual([])
  const places = await readGivenPlaces(services.storage, 2025)
  expect(places?.map(({ id }) => id)).toEqual(ELECCION.candidatas.map(({ id }) => id))
  await sql(`delete from actas where clase = 'apertura'`)
  const [first, second, ...rest] = ELECCION.candidatas
  await ensureApertura(services, { ...ELECCION, candidatas: [second!, first!, ...rest] }, OPEN, null)
  expect(await fallas()).toContain('El acta de cero es otra que la que este sitio publicó.')
  // What shows a publication still goes by the first.
  expect(await readGivenPlaces(services.storage, 2025)).toEqual(places)
})
