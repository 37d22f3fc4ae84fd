import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { explainOrphanedVotes, storeCandidateNames } from '#app/voting/election/candidate-names.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { parseClosingRecord } from '#app/voting/record/schema.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, OPEN, VOTE_TABLES, voter } from '#tests/support/voting/votes.ts'
import { findVoteByReceipt, readHourlyVotes, readResults } from './data.server.ts'
import { closeVote, proclaimWinner } from './mutations.server.ts'
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
  await site.database.pool.query(`truncate ${VOTE_TABLES}, ajustes, candidatas`)
})

const RENATA = { id: 'renata-cempasuchil-nava', nombre: 'Renata Cempasúchil Nava' }
const WITHDRAWN_SINCE = '2025-09-21T12:00:00.000Z'

/** The election under a withdrawal rule, and the same election without Renata. */
const withRule = (withdrawal: 'nulos' | 'cuentan'): Election => ({
  ...ELECTION,
  reglas: { ...ELECTION.reglas, retiro: withdrawal },
})
const withoutRenata = (election: Election, withdrawnCandidate: object = { nombre: RENATA.nombre }): Election => ({
  ...election,
  candidatas: election.candidatas.filter(({ id }) => id !== RENATA.id),
  retiradas: [{ id: RENATA.id, lugar: 1, desde: WITHDRAWN_SINCE, ...withdrawnCandidate }],
})

/** Casts `counts` votes for each place, and seals them. @returns the last receipt */
async function cast(election: Election, ...counts: number[]): Promise<string> {
  await storeCandidateNames(services, election)
  const voting = createVoting(services)
  let receipt = ''
  for (const [vote, count] of counts.entries())
    for (let turn = 0; turn < count; turn++) {
      const answer = await voting.cast(election, voter(), { vote, idempotencyKey: randomUUID() })
      if (answer.ok) receipt = answer.recibo
    }
  await sealVotes(services, election)
  return receipt
}
const votesOf = async (election: Election) => {
  const { filas, otros } = await readResults(services, election)
  return [...filas.map(({ nombre, votos }) => `${nombre.split(' ')[0]} ${votos}`), otros]
}
async function close(election: Election) {
  now = CLOSED
  const done = await closeVote(services, election, ACTOR)
  let text = ''
  for await (const piece of (await recordLines(services, 2025))!) text += piece
  return { acta: parseClosingRecord(done.ok ? done.record.contenido : ''), text, ...(await count(text)) }
}
const count = (text: string) =>
  verifyRecord(
    (async function* () {
      yield* text.split('\n')
    })(),
  )

test('a vote for a withdrawn candidate is not used up; an earlier vote for her stays used; the others keep their places', async () => {
  const election = withRule('nulos')
  const later = withoutRenata(election)
  const voting = createVoting(services)
  await storeCandidateNames(services, election)
  const hers = voter()
  const attempt = randomUUID()
  const first = await voting.cast(election, hers, { vote: 1, idempotencyKey: attempt })
  expect(await voting.cast(later, hers, { vote: 1, idempotencyKey: attempt })).toEqual(first)
  expect(await voting.cast(later, hers, { vote: 1, idempotencyKey: randomUUID() })).toEqual({
    ok: false,
    reason: 'ya-votaste',
  })
  const who = voter()
  expect(await voting.cast(later, who, { vote: 1 })).toEqual({ ok: false, reason: 'retirada' })
  expect(await voting.cast(later, who, { vote: 5 })).toEqual({ ok: false, reason: 'candidata' })
  expect(await voting.cast(later, who, { vote: 4 })).toMatchObject({ ok: true })
  await sealVotes(services, later)
  expect(await votesOf(later)).toEqual(['Valeria 0', 'Ximena 0', 'Fernanda 0', 'Paola 1', 1])
})

test('by the rule «nulos» her votes are others, and the act says whose, since when and how many', async () => {
  const election = withRule('nulos')
  const receipt = await cast(election, 2, 5)
  const later = withoutRenata(election)
  expect(await explainOrphanedVotes(services, later)).toBeUndefined()
  await cast(later, 0, 0, 1)
  expect(await votesOf(later)).toEqual(['Valeria 2', 'Ximena 1', 'Fernanda 0', 'Paola 0', 5])
  expect((await readHourlyVotes(services.db, later))[0]?.votos).toEqual([2, 1, 0, 0, 5])
  expect((await recount(services, later)).faults).toEqual([])

  const { acta, text, faults, totals } = await close(later)
  expect(acta.retiradas).toEqual([{ ...RENATA, desde: WITHDRAWN_SINCE, votos: 5, regla: 'nulos' }])
  expect([acta.otros, acta.candidatas.map(({ votos }) => votos), acta.reglas?.retiro]).toEqual([
    5,
    [2, 1, 0, 0],
    'nulos',
  ])
  expect([faults, totals.get(RENATA.nombre)]).toEqual([[], 5])
  expect((await recount(services, later)).faults).toEqual([])
  expect(await findVoteByReceipt(services.db, later, receipt)).toEqual({
    candidateName: RENATA.nombre,
    annulmentReason: null,
    isWithdrawn: true,
  })
  const proclaim = (candidate: string) =>
    proclaimWinner(services, later, { winner: { candidata: candidate }, version: 0 }, ACTOR)
  expect(await proclaim(RENATA.id)).toEqual({ ok: false, reason: 'no-gano' })
  expect(await proclaim('valeria-bugambilia-olmos')).toEqual({ ok: true })

  expect((await count(text.replace('"votos":5,"regla"', '"votos":4,"regla"'))).faults).toContain(
    `${RENATA.nombre}: el acta dice 4 y las papeletas dan 5.`,
  )
  expect((await count(text.replace('"regla":"nulos"', '"regla":"cuentan"'))).faults).toEqual(
    expect.arrayContaining([`Los votos de ${RENATA.nombre} no siguen la regla publicada.`]),
  )
})

test('by the rule «cuentan» they stay in her line, and she cannot be proclaimed', async () => {
  const election = withRule('cuentan')
  await cast(election, 2, 5)
  // The edition stored no name, so the name comes from the votes.
  const later = withoutRenata(election, {})
  expect(await votesOf(later)).toEqual(['Valeria 2', 'Ximena 0', 'Fernanda 0', 'Paola 0', 'Renata 5', 0])
  const { acta, text, faults } = await close(later)
  expect(acta.retiradas).toEqual([{ ...RENATA, desde: WITHDRAWN_SINCE, votos: 5, regla: 'cuentan' }])
  expect([acta.otros, acta.candidatas.at(-1), faults]).toEqual([0, { ...RENATA, votos: 5 }, []])
  expect((await recount(services, later)).faults).toEqual([])
  const proclaim = (candidate: string) =>
    proclaimWinner(services, later, { winner: { candidata: candidate }, version: 0 }, ACTOR)
  expect(await proclaim(RENATA.id)).toEqual({ ok: false, reason: 'no-gano' })
  expect(await proclaim('valeria-bugambilia-olmos')).toMatchObject({ ok: true })
  expect((await count(text.replace('"regla":"cuentan"', '"regla":"nulos"'))).faults).toEqual(
    expect.arrayContaining([`El acta cuenta entre las candidatas a ${RENATA.nombre}, que se retiró.`]),
  )
})

test('the rule of the act of zero holds against a later rule of the edition; without votes nothing names her', async () => {
  await cast(withRule('nulos'), 2, 0)
  const later = withoutRenata(withRule('cuentan'))
  const { acta, faults, text } = await close(later)
  expect(acta.retiradas).toEqual([{ id: RENATA.id, desde: WITHDRAWN_SINCE, votos: 0, regla: 'nulos' }])
  expect(faults).toEqual([])
  // The only other text with the name is the opening record, which was published before.
  expect(text.split(RENATA.nombre)).toHaveLength(2)
})
