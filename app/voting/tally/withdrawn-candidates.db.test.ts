import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVotacion, keepNombres, separaVotos } from '#app/voting/ballot/mutations.server.ts'
import type { Eleccion } from '#app/voting/election/data.server.ts'
import { readCierre } from '#app/voting/record/schema.ts'
import { verifyActa } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { AUTOR, CLOSED, ELECCION, OPEN, TABLAS, votante } from '../../../tests/votos.ts'
import { findRecibo, readHoras, readResultados } from './data.server.ts'
import { closeVote, proclaimGanadora } from './mutations.server.ts'
import { actaLines } from './record-file.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'

let site: TestSite
let services: Services
let now = OPEN

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(() => site.close())
beforeEach(async () => {
  now = OPEN
  await site.database.pool.query(`truncate ${TABLAS}, ajustes, candidatas`)
})

const RENATA = { id: 'renata-cempasuchil-nava', nombre: 'Renata Cempasúchil Nava' }
const DESDE = '2025-09-21T12:00:00.000Z'

/** The election by a rule; the same one without Renata. */
const conRegla = (retiro: 'nulos' | 'cuentan'): Eleccion => ({ ...ELECCION, reglas: { ...ELECCION.reglas, retiro } })
const sinRenata = (eleccion: Eleccion, retirada: object = { nombre: RENATA.nombre }): Eleccion => ({
  ...eleccion,
  candidatas: eleccion.candidatas.filter(({ id }) => id !== RENATA.id),
  retiradas: [{ id: RENATA.id, lugar: 1, desde: DESDE, ...retirada }],
})

/** Casts so many votes for each place. @returns the last receipt */
async function cast(eleccion: Eleccion, ...counts: number[]): Promise<string> {
  await keepNombres(services, eleccion)
  const votacion = createVotacion(services)
  let recibo = ''
  for (const [vote, count] of counts.entries())
    for (let turn = 0; turn < count; turn++) {
      const answer = await votacion.cast(eleccion, votante(), { vote, intento: randomUUID() })
      if (answer.ok) recibo = answer.recibo
    }
  await sealVotes(services, eleccion)
  return recibo
}
const votesOf = async (eleccion: Eleccion) => {
  const { filas, otros } = await readResultados(services, eleccion)
  return [...filas.map(({ nombre, votos }) => `${nombre.split(' ')[0]} ${votos}`), otros]
}
async function close(eleccion: Eleccion) {
  now = CLOSED
  const done = await closeVote(services, eleccion, AUTOR)
  let text = ''
  for await (const piece of (await actaLines(services, 2025))!) text += piece
  return { acta: readCierre(done.ok ? done.acta.contenido : ''), text, ...(await count(text)) }
}
const count = (text: string) =>
  verifyActa(
    (async function* () {
      yield* text.split('\n')
    })(),
  )

test('a vote for who was withdrawn spends nothing; whoever had voted for her has voted; the others keep their places', async () => {
  const eleccion = conRegla('nulos')
  const later = sinRenata(eleccion)
  const votacion = createVotacion(services)
  await keepNombres(services, eleccion)
  const hers = votante()
  const intento = randomUUID()
  const first = await votacion.cast(eleccion, hers, { vote: 1, intento })
  expect(await votacion.cast(later, hers, { vote: 1, intento })).toEqual(first)
  expect(await votacion.cast(later, hers, { vote: 1, intento: randomUUID() })).toEqual({
    ok: false,
    reason: 'ya-votaste',
  })
  const who = votante()
  expect(await votacion.cast(later, who, { vote: 1 })).toEqual({ ok: false, reason: 'retirada' })
  expect(await votacion.cast(later, who, { vote: 5 })).toEqual({ ok: false, reason: 'candidata' })
  expect(await votacion.cast(later, who, { vote: 4 })).toMatchObject({ ok: true })
  await sealVotes(services, later)
  expect(await votesOf(later)).toEqual(['Valeria 0', 'Ximena 0', 'Fernanda 0', 'Paola 1', 1])
})

test('by the rule «nulos» her votes are others, and the act says whose, since when and how many', async () => {
  const eleccion = conRegla('nulos')
  const recibo = await cast(eleccion, 2, 5)
  const later = sinRenata(eleccion)
  expect(await separaVotos(services, later)).toBeUndefined()
  await cast(later, 0, 0, 1)
  expect(await votesOf(later)).toEqual(['Valeria 2', 'Ximena 1', 'Fernanda 0', 'Paola 0', 5])
  expect((await readHoras(services.db, later))[0]?.votos).toEqual([2, 1, 0, 0, 5])
  expect((await recount(services, later)).fallas).toEqual([])

  const { acta, text, fallas, totales } = await close(later)
  expect(acta.retiradas).toEqual([{ ...RENATA, desde: DESDE, votos: 5, regla: 'nulos' }])
  expect([acta.otros, acta.candidatas.map(({ votos }) => votos), acta.reglas?.retiro]).toEqual([
    5,
    [2, 1, 0, 0],
    'nulos',
  ])
  expect([fallas, totales.get(RENATA.nombre)]).toEqual([[], 5])
  expect((await recount(services, later)).fallas).toEqual([])
  expect(await findRecibo(services.db, later, recibo)).toEqual({
    ...{ candidata: RENATA.nombre, anulado: null, retirada: true },
  })
  const proclaim = (candidata: string) =>
    proclaimGanadora(services, later, { puesta: { candidata }, version: 0 }, AUTOR)
  expect(await proclaim(RENATA.id)).toEqual({ ok: false, reason: 'no-gano' })
  expect(await proclaim('valeria-bugambilia-olmos')).toEqual({ ok: true })

  expect((await count(text.replace('"votos":5,"regla"', '"votos":4,"regla"'))).fallas).toContain(
    `${RENATA.nombre}: el acta dice 4 y las papeletas dan 5.`,
  )
  expect((await count(text.replace('"regla":"nulos"', '"regla":"cuentan"'))).fallas).toEqual(
    expect.arrayContaining([`Los votos de ${RENATA.nombre} no siguen la regla publicada.`]),
  )
})

test('by the rule «cuentan» they stay in her line, and she cannot be proclaimed', async () => {
  const eleccion = conRegla('cuentan')
  await cast(eleccion, 2, 5)
  // The edition kept no name of hers: the votes themselves say it.
  const later = sinRenata(eleccion, {})
  expect(await votesOf(later)).toEqual(['Valeria 2', 'Ximena 0', 'Fernanda 0', 'Paola 0', 'Renata 5', 0])
  const { acta, text, fallas } = await close(later)
  expect(acta.retiradas).toEqual([{ ...RENATA, desde: DESDE, votos: 5, regla: 'cuentan' }])
  expect([acta.otros, acta.candidatas.at(-1), fallas]).toEqual([0, { ...RENATA, votos: 5 }, []])
  expect((await recount(services, later)).fallas).toEqual([])
  const proclaim = (candidata: string) =>
    proclaimGanadora(services, later, { puesta: { candidata }, version: 0 }, AUTOR)
  expect(await proclaim(RENATA.id)).toEqual({ ok: false, reason: 'no-gano' })
  expect(await proclaim('valeria-bugambilia-olmos')).toMatchObject({ ok: true })
  expect((await count(text.replace('"regla":"cuentan"', '"regla":"nulos"'))).fallas).toEqual(
    expect.arrayContaining([`El acta cuenta entre las candidatas a ${RENATA.nombre}, que se retiró.`]),
  )
})

test('the rule of the act of zero holds, whatever the edition says afterwards; without votes nothing names her', async () => {
  await cast(conRegla('nulos'), 2, 0)
  const later = sinRenata(conRegla('cuentan'))
  const { acta, fallas, text } = await close(later)
  expect(acta.retiradas).toEqual([{ id: RENATA.id, desde: DESDE, votos: 0, regla: 'nulos' }])
  expect(fallas).toEqual([])
  // The act of zero was published before.
  expect(text.split(RENATA.nombre)).toHaveLength(2)
})
