import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVotacion } from '#app/voting/ballot/mutations.server.ts'
import { loadEleccion, loadGanadora, readResultado } from '#app/voting/election/data.server.ts'
import { readCierre } from '#app/voting/record/schema.ts'
import { verifyActaFile } from '#app/voting/record/verification.server.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { AUTOR, CLOSED, ELECCION, OPEN, TABLAS, vote } from '../../../tests/votos.ts'
import { closeVote } from './mutations.server.ts'
import { findEnMuestra, readSellada } from './sealed-record.server.ts'
import { sealVotes } from './sealing.server.ts'

const ACTA = 'content/2025/acta.json'
const GANADORA = 'ximena-agave-montano'

let site: TestSite
let services: Services
let now = CLOSED

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(() => site.close())
beforeEach(async () => {
  now = CLOSED
  await site.database.pool.query(`truncate ${TABLAS}, ajustes, correos, profiles, candidatas cascade`)
})

test('the act that comes with the sample is whole, and its winner is the content’s', async () => {
  const { fallas, portada } = await verifyActaFile(ACTA)
  expect(fallas).toEqual([])
  const [first] = portada.acta.candidatas.toSorted((a, b) => b.votos - a.votos)
  expect(first?.id).toBe(GANADORA)
})

test('it is shown where nobody has voted, from the closing on, and proclaims', async () => {
  const eleccion = await loadEleccion()
  const sealed = await readSellada(services, eleccion)
  const file = JSON.parse(await readFile(ACTA, 'utf8'))
  expect(sealed).toMatchObject({ sello: file.portada.sello, muestra: { file: ACTA } })
  expect(readCierre(sealed!.contenido).papeletas).toBe(1_284)
  expect((await loadGanadora(services.db))?.id).toBe(GANADORA)
  expect(await findEnMuestra(sealed!.muestra!, '7F2K94QXM3TR')).toBeUndefined()
  now = OPEN
  expect(await readSellada(services, eleccion)).toBeUndefined()
})

test('it belongs to its own candidates: with another one, nobody has won', async () => {
  const eleccion = await loadEleccion()
  const other = { ...eleccion, candidatas: [...eleccion.candidatas.slice(1), { id: 'otra', nombre: 'Otra' }] }
  expect(await readSellada(services, other)).toBeUndefined()
  expect(await readSellada(services, { ...eleccion, edicion: 2031 })).toBeUndefined()
})

test('one vote here ends it: nobody is proclaimed until this site’s own act is sealed, whatever the content says', async () => {
  const eleccion = await loadEleccion()
  const votacion = createVotacion(services)
  now = OPEN
  await vote(votacion, 0)
  now = CLOSED
  expect(await readSellada(services, eleccion)).toBeUndefined()
  expect(await loadGanadora(services.db)).toBeUndefined()
  const before = await readResultado(services.db)
  await sealVotes(services, ELECCION)
  expect(await closeVote(services, ELECCION, AUTOR)).toMatchObject({ ok: true })
  expect((await readSellada(services, eleccion))?.muestra).toBeUndefined()
  expect((await loadGanadora(services.db))?.id).toBe(GANADORA)
  // The page that many share is another one from then on.
  expect(await readResultado(services.db)).not.toBe(before)
})
