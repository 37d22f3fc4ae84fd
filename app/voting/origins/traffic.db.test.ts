import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { ELECTION, RULES } from '#tests/support/voting/votes.ts'
import { createOriginCounter, type Origin } from './traffic.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a process knows its own votes of this span of ten minutes and of the one before, and of none earlier', async () => {
  const origins = createOriginCounter(database.db)
  const red: Origin = ['red', '10.0.0.0/24']
  const at = (time: string) => new Date(`2025-09-20T${time}-06:00`)
  const usual = RULES.rafagaPorRed
  for (let vote = 1; vote < usual; vote++) origins.count(at('12:00'), [red])
  const takeBack = origins.count(at('12:09'), [red])
  const excessAt = async (time: string) => (await origins.readTraffic(ELECTION, at(time))).excessOf(red)
  // The vote in question counts, too.
  const beyond = (usual + 1) / usual
  expect(await excessAt('12:09')).toBe(beyond)
  expect(await excessAt('12:19')).toBe(beyond)
  expect(await excessAt('12:20')).toBe(0)
  takeBack()
  expect(await excessAt('12:19')).toBe(0)
})
