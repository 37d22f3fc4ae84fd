import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFinalRecord } from '#app/finals/record/data.server.ts'
import { makeJudgeLink } from '#app/finals/record/judge-links.server.ts'
import {
  closeRound,
  openFinal,
  openRound,
  sealFinalRecord,
  setRecordPublic,
  signSheet,
} from '#app/finals/record/mutations.server.ts'
import { activeCandidateIds, openRoundOf } from '#app/finals/record/state.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { closeVote } from '#app/voting/sealing/mutations.server.ts'
import { makePerson } from '#tests/support/accounts/people.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, OPEN, vote } from '#tests/support/voting/votes.ts'
import { listUnfinishedRecords } from './unfinished-records.server.ts'

const JUDGES = [1, 2, 3, 4, 5]
let site: TestSite
let now = OPEN
const services = () => ({ ...site.services, clock: { now: () => now } })
const BEFORE_THE_VOTE = '2025-09-01T20:00:00-06:00'
const list = (coronation = BEFORE_THE_VOTE) => listUnfinishedRecords(services(), 2025, coronation)

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('a year is told not to be over until its final', async () => {
  expect(await list('2025-09-27T20:00:00-06:00')).toEqual([
    expect.stringMatching(/^La 2025 todavía no termina: su final es el 27 de septiembre de 2025 a las 8:00 p\.m\./),
  ])
  expect(await list(OPEN.toISOString())).toEqual([])
})

test('a vote with votes is told until its closing record is sealed', async () => {
  expect(await list()).toEqual([])
  expect(await vote(createVoting(services()), 1)).toMatchObject({ ok: true })
  expect(await list()).toEqual(['La votación de 2025 no tiene acta de cierre: después ya no se podrá sellar.'])
  now = CLOSED
  expect(await closeVote(services(), ELECTION, ACTOR)).toMatchObject({ ok: true })
  expect(await list()).toEqual([])
})

test('a final is told until its record is sealed and public', async () => {
  now = new Date('2025-09-27T20:00:00-06:00')
  const notary = { quien: (await makePerson(site.services.db)).actor.quien!, desde: 'terminal' }
  for (const judge of JUDGES)
    await makeJudgeLink(services(), { judgeNumber: judge, typedName: `Jurado ${judge}` }, notary)
  expect(await openFinal(services(), notary)).toMatchObject({ ok: true })
  expect(await list()).toEqual(['La final de 2025 está abierta: después ya no se podrá terminar ni sellar.'])
  const final = async () => (await readFinalRecord(services(), 2025)).state.final!
  for (let ronda = 1; ronda <= (await final()).rules.rondas.length; ronda++) {
    await openRound(services(), 2025, ronda, notary)
    const state = await final()
    const present = activeCandidateIds(state, openRoundOf(state)!)
    const sheet = Object.fromEntries(present.map((id, at) => [id, [100 - at * 10, 100 - at * 10]]))
    for (const juez of JUDGES)
      await signSheet(
        services(),
        { edition: 2025, roundNumber: ronda, judgeNumber: juez, idempotencyKey: randomUUID() },
        sheet,
        notary,
      )
    expect(await closeRound(services(), 2025, ronda, new Map(), notary)).toMatchObject({ ok: true })
  }
  expect(await sealFinalRecord(services(), 2025, notary)).toMatchObject({ ok: true })
  expect(await list()).toEqual(['El acta de la final de 2025 no es pública: después ya no se podrá hacer pública.'])
  await setRecordPublic(services(), 2025, true, notary)
  expect(await list()).toEqual([])
})
