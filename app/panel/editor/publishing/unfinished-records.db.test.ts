import { afterAll, beforeAll, expect, test } from 'vitest'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { annulFinal, publishRecord } from '#app/finals/proceedings/mutations.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { closeVote } from '#app/voting/sealing/mutations.server.ts'
import { judgeFinal } from '#scripts/commands/sample-final.ts'
import { makePerson } from '#tests/support/accounts/people.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { ACTOR, CLOSED, ELECTION, OPEN, vote } from '#tests/support/voting/votes.ts'
import { listUnfinishedRecords } from './unfinished-records.server.ts'

let site: TestSite
let now = OPEN
const services = () => ({ ...site.services, clock: { now: () => now } })
const list = () => listUnfinishedRecords(services(), 2025)
const setClock = async (moment: string) => {
  now = new Date(moment)
}

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

test('before the next edition is opened, what of this one could no longer be sealed or made public is told', async () => {
  expect(await list()).toEqual([])
  expect(await vote(createVoting(services()), 1)).toMatchObject({ ok: true })
  expect(await list()).toEqual(['La votación de 2025 no tiene acta de cierre: después ya no se podrá sellar.'])
  now = CLOSED
  expect(await closeVote(services(), ELECTION, ACTOR)).toMatchObject({ ok: true })
  expect(await list()).toEqual([])

  const notary = { ...TERMINAL, quien: (await makePerson(site.services.db)).actor.quien! }
  await judgeFinal(services(), setClock, 1)
  expect(await list()).toEqual(['La final de 2025 está abierta: después ya no se podrá terminar ni sellar.'])
  expect(await annulFinal(services(), 2025, 'Fue el ensayo.', TERMINAL)).toMatchObject({ ok: true })
  await judgeFinal(services(), setClock)
  expect(await list()).toEqual(['El acta de la final de 2025 no es pública: después ya no se podrá hacer pública.'])
  await publishRecord(services(), 2025, true, notary)
  expect(await list()).toEqual([])
})
