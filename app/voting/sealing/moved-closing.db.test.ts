import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { publicationFingerprint } from '#app/cms/publishing/publications.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { storeCandidateNames } from '#app/voting/election/candidate-names.server.ts'
import { parseClosingRecord } from '#app/voting/record/schema.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, ELECTION, OPEN, VOTE_TABLES, vote } from '#tests/support/voting/votes.ts'
import { applyClosingMove, drawUpClosingMove, listClosingMoves } from './moved-closing.server.ts'
import { closeVote } from './mutations.server.ts'
import { ensureOpeningRecord } from './opening-record.server.ts'
import { recordLines } from './record-file.server.ts'
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
  await site.database.pool.query(`truncate ${VOTE_TABLES}, ajustes, candidatas, publicaciones, ediciones cascade`)
})

const OLD_CLOSING = ELECTION.cierre
const LATER = '2025-09-27T20:00:00-06:00'
const REASON = 'Se fue la luz en todo el municipio.'

const plan = (moment: string, { antes = OLD_CLOSING, motivo = REASON } = {}) =>
  drawUpClosingMove(services, { edition: 2025, closingInForce: antes, newClosing: moment, reason: motivo })

/** Inserts a publication that moves the closing, and puts it in force. @returns the refusal's text, if any */
async function publish(moment: string, record?: object) {
  const values = { 'edicion.yaml': { fechas: { cierreVotacion: moment } } }
  const { id } = await services.db
    .insertInto('publicaciones')
    .values({
      edicion: 2025,
      origen: 'panel',
      huella: publicationFingerprint(values, {}),
      created_at: now,
      valores: JSON.stringify(values),
      archivos: '{}',
      acta: record ? JSON.stringify(record) : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const held = await services.db
    .transaction()
    .execute((tx) => applyClosingMove(tx, { id, edicion: 2025, valores: values }))
  const state = held === undefined ? 'publicada' : 'fallida'
  await services.db.updateTable('publicaciones').set({ estado: state }).where('id', '=', id).execute()
  if (held === undefined)
    await services.db
      .insertInto('ediciones')
      .values({ anio: 2025, publicacion: id })
      .onConflict((one) => one.column('anio').doUpdateSet({ publicacion: id }))
      .execute()
  return held
}
async function move(moment: string, antes = OLD_CLOSING): Promise<void> {
  const done = await plan(moment, { antes })
  expect(done).toMatchObject({ ok: true, acta: expect.anything() })
  expect(await publish(moment, done.ok ? done.acta : undefined)).toBeUndefined()
}
const begin = () => ensureOpeningRecord(services, ELECTION, now, null)
const count = (text: string) =>
  verifyRecord(
    (async function* () {
      yield* text.split('\n')
    })(),
  )

test('before the act of zero the date is free; from then on it asks for a reason and gives warning, and a closed vote stays closed', async () => {
  expect(await plan(LATER, { motivo: '' })).toEqual({ ok: true })
  await begin()
  expect(await plan('2025-09-26T05:59:00+00:00', { motivo: '' })).toEqual({ ok: true })
  const refused = async (moment: string, some: { motivo?: string } = {}) => {
    const done = await plan(moment, some)
    return done.ok ? '' : done.remedy
  }
  expect(await refused(LATER, { motivo: '  corto ' })).toContain('escribe por qué')
  expect(await refused('2025-09-20T12:29:00-06:00')).toContain('al menos diez minutos después')
  expect(await refused('2025-09-01T12:00:00-06:00')).toContain('al menos diez minutos después')
  expect(await refused('2025-09-20T12:30:00-06:00')).toBe('')
  now = new Date('2025-09-26T00:00:00-06:00')
  expect(await refused(LATER)).toContain('La votación ya cerró')
  expect(await listClosingMoves(services.db, 2025)).toEqual([])
})

test('a closing that is moved twice closes then: for votes, for the act and for a count of its file', async () => {
  const voting = createVoting(services)
  await storeCandidateNames(services, ELECTION)
  await publish(OLD_CLOSING)
  await begin()
  await vote(voting, 0)
  await sealVotes(services, ELECTION)
  await move(LATER)
  now = new Date('2025-09-26T12:00:00-06:00')
  const moved = { ...ELECTION, cierre: LATER }
  expect(
    await voting.cast(moved, { userId: 'tarde', email: 'tarde@gmail.com', client: '10.9.9.9' }, { vote: 1 }),
  ).toMatchObject({ ok: true })
  // A process that still has the old closing neither takes votes nor closes the vote.
  expect(await vote(voting, 1)).toEqual({ ok: false, reason: 'cerrada' })
  expect(await closeVote(services, ELECTION, ACTOR)).toEqual({ ok: false, reason: 'abierta' })
  await move('2025-09-27T18:00:00-06:00', LATER)
  now = new Date('2025-09-27T18:30:00-06:00')
  // A process that has not heard of the earlier closing is refused by the database.
  expect(await voting.cast(moved, { userId: 'u', email: 'u@gmail.com', client: '10.9.9.8' }, { vote: 1 })).toEqual({
    ok: false,
    reason: 'cerrada',
  })
  expect((await recount(services, moved)).faults).toEqual([])
  const done = await closeVote(services, { ...ELECTION, cierre: '2025-09-27T18:00:00-06:00' }, ACTOR)
  const record = parseClosingRecord(done.ok ? done.record.contenido : '')
  expect(record.movidos?.map(({ antes, ahora, motivo }) => [antes, ahora, motivo])).toEqual([
    [OLD_CLOSING, LATER, REASON],
    [LATER, '2025-09-27T18:00:00-06:00', REASON],
  ])
  expect((await recount(services, moved)).faults).toEqual([])
  let text = ''
  for await (const piece of (await recordLines(services, 2025))!) text += piece
  expect((await count(text)).faults).toEqual([])
  expect(text).not.toContain(`"${ACTOR.quien}"`)
  const faults = async (from: string, to: string) => (await count(text.replaceAll(from, to))).faults
  expect(await faults(REASON, 'Así lo quiso alguien.')).toContain(
    'Las actas del cierre movido no son las que el acta de cierre nombra.',
  )
  expect((await faults(`"numero":2,"anterior"`, `"numero":3,"anterior"`))[0]).toContain('no sigue a la anterior')
  expect(await plan('2025-10-27T18:00:00-06:00', { antes: '2025-09-27T18:00:00-06:00' })).toMatchObject({
    ok: false,
    remedy: expect.stringContaining('ya tiene su acta de cierre'),
  })
  // The recount finds a removed record of a move.
  await services.db.deleteFrom('actas').where('clase', '=', 'cierre-movido').where('numero', '=', 2).execute()
  expect((await recount(services, moved)).faults).toEqual(
    expect.arrayContaining(['El acta de cierre nombra otras actas del cierre movido que las que hay.']),
  )
})

test('a vote at the very moment of the moved closing counts, and one a millisecond later does not', async () => {
  const voting = createVoting(services)
  await publish(OLD_CLOSING)
  await begin()
  const closing = '2025-09-25T18:00:00-06:00'
  await move(closing)
  // A process that still has the old closing leaves the decision to the database.
  now = new Date(closing)
  expect(await vote(voting, 0)).toMatchObject({ ok: true })
  now = new Date(now.getTime() + 1)
  expect(await vote(voting, 0)).toEqual({ ok: false, reason: 'cerrada' })
})

test('a change between publishing and showing is refused: a vote that began, an act that was sealed', async () => {
  await publish(OLD_CLOSING)
  expect(await publish(LATER)).toBeUndefined()
  await begin()
  expect(await publish(OLD_CLOSING)).toContain('empezó la votación')
  const done = await plan(LATER)
  await services.db
    .insertInto('actas')
    .values({
      edicion: 2025,
      clase: 'cierre',
      contenido: '{}',
      sello: '',
      quien: null,
      at: now,
      firma: Buffer.alloc(0),
    })
    .execute()
  expect(await publish(OLD_CLOSING, done.ok ? done.acta : undefined)).toContain('se selló el acta de cierre')
})
