import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { insertPublication, setCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { storeCandidateNames } from '#app/voting/election/candidate-names.server.ts'
import { verifyRecord } from '#app/voting/record/verification.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, VOTE_TABLES, voter } from '#tests/support/voting/votes.ts'
import { readRecord } from './data.server.ts'
import { findMovedOpeningFault } from './moved-closing.server.ts'
import { closeVote } from './mutations.server.ts'
import { ensureOpeningRecord } from './opening-record.server.ts'
import { recordLines } from './record-file.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'
import { startSealing } from './sealing-worker.server.ts'

const OPENING = '2025-09-15T10:00:00-06:00'
const LATER = '2025-09-16T10:00:00-06:00'
const WITH_OPENING = { ...ELECTION, abre: OPENING }
const BEFORE = new Date('2025-09-15T09:59:59.999-06:00')

let site: TestSite
let services: Services
let now = BEFORE

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, clock: { now: () => now } }
})
afterAll(() => site.close())
beforeEach(async () => {
  now = BEFORE
  await site.database.pool.query(`truncate ${VOTE_TABLES}, ajustes, candidatas, publicaciones, ediciones cascade`)
  await storeCandidateNames(services, ELECTION)
})

const valuesWith = (opening: string | undefined) => ({
  'edicion.yaml': {
    fechas: { ...(opening !== undefined && { aperturaVotacion: opening }), cierreVotacion: ELECTION.cierre },
  },
})
/** Puts a publication in force, as the site does. @returns the refusal's text, if any */
async function publish(opening: string | undefined) {
  const values = valuesWith(opening)
  const publication = { edicion: 2025, valores: values, archivos: {}, origen: 'panel' as const }
  return services.db.transaction().execute(async (tx) => {
    const refusal = await findMovedOpeningFault(tx, { edicion: 2025, valores: values })
    if (refusal !== undefined) return refusal
    const id = await insertPublication(tx, publication, 'publicada', now)
    await setCurrentPublication(tx, { id, edicion: 2025 }, now)
    return undefined
  })
}
const castIn = (election: typeof ELECTION, who = voter()) => createVoting(services).cast(election, who, { vote: 0 })
const EARLY = { ok: false, reason: 'antes' }

test('a vote counts from the very moment of the opening on, and spends nothing before it', async () => {
  await publish(OPENING)
  const who = voter()
  expect(await castIn(WITH_OPENING, who)).toEqual(EARLY)
  // Whether a candidate exists is not answered before the opening either.
  expect(await createVoting(services).cast(WITH_OPENING, who, { vote: 99 })).toEqual(EARLY)
  now = new Date(OPENING)
  expect(await castIn(WITH_OPENING, who)).toMatchObject({ ok: true })
  expect(await castIn(WITH_OPENING, who)).toEqual({ ok: false, reason: 'ya-votaste' })
})

test('the database refuses an early vote of a process that has not heard of the opening, or of a later one', async () => {
  await publish(OPENING)
  expect(await castIn(ELECTION)).toEqual(EARLY)
  await publish(LATER)
  now = new Date('2025-09-15T12:00:00-06:00')
  expect(await castIn(WITH_OPENING)).toEqual(EARLY)
  expect(await services.db.selectFrom('banda_digital_votes').selectAll().execute()).toEqual([])
  now = new Date(LATER)
  expect(await castIn(WITH_OPENING)).toMatchObject({ ok: true })
  // Without an opening the vote is open as soon as it has candidates.
  await site.database.pool.query(`truncate ${VOTE_TABLES}`)
  now = BEFORE
  await publish(undefined)
  expect(await castIn(ELECTION)).toMatchObject({ ok: true })
})

test('the site seals the act of zero at the opening, which the act then has, and its file is verified', async () => {
  await publish(OPENING)
  const stop = startSealing(services, async () => WITH_OPENING)
  const opening = async () => (await readRecord(services.db, 2025, 'apertura'))?.contenido
  try {
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(await opening()).toBeUndefined()
    now = new Date(OPENING)
    await vi.waitFor(async () => expect(await opening()).toBeDefined(), { timeout: 10_000 })
  } finally {
    await stop()
  }
  expect(JSON.parse((await opening())!)).toMatchObject({
    abre: new Date(OPENING).toISOString(),
    cierre: ELECTION.cierre,
    papeletas: 0,
  })
  await castIn(WITH_OPENING)
  await sealVotes(services, WITH_OPENING)
  now = CLOSED
  expect(await closeVote(services, WITH_OPENING, ACTOR)).toMatchObject({ ok: true })
  expect((await recount(services, WITH_OPENING)).faults).toEqual([])
  const { faults } = await verifyRecord(await recordLinesOf())
  expect(faults).toEqual([])
})

async function recordLinesOf() {
  const lines: string[] = []
  for await (const piece of (await recordLines(services, 2025))!) lines.push(piece)
  return (async function* () {
    yield* lines.join('').split('\n')
  })()
}

test('the opening moves until the vote has begun, by the act of zero or by a vote, and not afterwards', async () => {
  expect(await publish(OPENING)).toBeUndefined()
  expect(await publish(LATER)).toBeUndefined()
  expect(await publish(undefined)).toBeUndefined()
  await castIn(ELECTION)
  // The vote is not sealed yet, so there is no act of zero.
  expect(await publish(LATER)).toContain('su apertura no se mueve: regresa «Abre la votación» a como estaba, vacía')
  await site.database.pool.query(`truncate ${VOTE_TABLES}`)
  expect(await publish(OPENING)).toBeUndefined()
  await ensureOpeningRecord(services, WITH_OPENING, now, 'organiza')
  expect(await publish(OPENING)).toBeUndefined()
  for (const moved of [LATER, undefined])
    expect(await publish(moved)).toContain('regresa «Abre la votación» al lunes 15 de septiembre, 10:00')
})

test('a vote that is on its way while the opening moves is either counted before, or refused', async () => {
  await publish(undefined)
  const [refusal, ...votes] = await Promise.all([publish(LATER), ...Array.from({ length: 40 }, () => castIn(ELECTION))])
  const counted = votes.filter(({ ok }) => ok).length
  expect(counted > 0).toBe(refusal !== undefined)
})
