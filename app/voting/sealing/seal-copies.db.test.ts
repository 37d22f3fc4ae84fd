import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, castVotes, ELECTION, OPEN, sealAll, VOTE_TABLES, vote } from '#tests/support/voting/votes.ts'
import { closeVote } from './mutations.server.ts'
import { ensureOpeningRecord } from './opening-record.server.ts'
import { recount } from './recount.server.ts'
import { readCopiedPlaces, storeSealCopies } from './seal-copies.server.ts'

let site: TestSite
let services: Services
const sql = async (text: string) => (await site.database.pool.query(text)).rows
const faults = async () => (await recount(services, ELECTION)).faults

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => OPEN } }
})
afterAll(() => site.close())
beforeEach(async () => {
  await sql(`truncate ${VOTE_TABLES}, correos, profiles, candidatas cascade`)
  for await (const path of services.storage.list('sellos', '')) await services.storage.remove('sellos', path)
})

test('votes deleted with their batches, links and the last count are missed by the published seals', async () => {
  const voting = createVoting(services)
  await castVotes(voting, 120, 90)
  await sealAll(services)
  let kept = await storeSealCopies(services, 2025, -1)
  await castVotes(voting, 0, 0, 220)
  await sealAll(services)
  kept = await storeSealCopies(services, 2025, kept)
  expect(kept).toBe(2)
  expect(await faults()).toEqual([])
  // The database's owner removes the second block with all its traces.
  await sql(`delete from banda_digital_votes where lote = (select max(numero) from lotes)`)
  await sql('delete from cajas where numero = 2')
  await sql('delete from recuentos')
  await sql(`delete from votos_por_hora where candidata = '${ELECTION.candidatas[2]!.nombre}'`)
  await sql('delete from lotes where numero = (select max(numero) from lotes)')
  expect(await faults()).toEqual([expect.stringMatching(/^Este sitio publicó la caja 2 con el sello/)])
})

test('an act of zero that is drawn up once more is not the one that was published', async () => {
  await ensureOpeningRecord(services, ELECTION, OPEN, null)
  await vote(createVoting(services), 0, undefined, randomUUID())
  await sealAll(services)
  await storeSealCopies(services, 2025, -1)
  expect(await faults()).toEqual([])
  const places = await readCopiedPlaces(services.storage, 2025)
  expect(places?.map(({ id }) => id)).toEqual(ELECTION.candidatas.map(({ id }) => id))
  await sql(`delete from actas where clase = 'apertura'`)
  const [first, second, ...rest] = ELECTION.candidatas
  await ensureOpeningRecord(services, { ...ELECTION, candidatas: [second!, first!, ...rest] }, OPEN, null)
  expect(await faults()).toContain('El acta de cero es otra que la que este sitio publicó.')
  // Publishing still goes by the first opening record.
  expect(await readCopiedPlaces(services.storage, 2025)).toEqual(places)
})

/** Recounts, and does something else once, after the chain is read and before the copies are listed. */
async function recountWhile(work: () => Promise<unknown>) {
  let isDone = false
  async function* list(bucket: string, prefix: string) {
    if (!isDone) await work()
    isDone = true
    yield* services.storage.list(bucket, prefix)
  }
  return recount({ ...services, storage: Object.assign(Object.create(services.storage), { list }) }, ELECTION)
}

test('a block that is closed and copied during a recount is not taken for lost', async () => {
  const voting = createVoting(services)
  await castVotes(voting, 120, 90)
  await sealAll(services)
  const kept = await storeSealCopies(services, 2025, -1)
  const { faults } = await recountWhile(async () => {
    await castVotes(voting, 0, 0, 220)
    await sealAll(services)
    expect(await storeSealCopies(services, 2025, kept)).toBe(2)
  })
  expect(faults).toEqual([])
})

test('a recount that the sealing of the vote overtakes counts what is sealed', async () => {
  await castVotes(createVoting(services), 120, 90)
  await sealAll(services)
  await castVotes(createVoting(services), 0, 0, 30)
  const { faults, ballotCount } = await recountWhile(async () => {
    expect(await closeVote({ ...services, clock: { now: () => CLOSED } }, ELECTION, ACTOR)).toMatchObject({ ok: true })
  })
  expect([faults, ballotCount]).toEqual([[], 240])
})
