import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { countAttempt, refundAttempt } from './rate-limit.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('an attempt that is taken back frees one place of a leaky bucket, and leaves the others counted', async () => {
  const { db } = database
  const rate = { burst: 3, perSecond: 0.001 }
  for (let attempt = 0; attempt < 3; attempt++) expect(await countAttempt(db, 'red', rate)).toBe(0)
  await refundAttempt(db, 'red', rate)
  expect(await countAttempt(db, 'red', rate)).toBe(0)
  expect(await countAttempt(db, 'red', rate)).toBeGreaterThan(0)
})

test('an attempt that is taken back ends the wait of a limit', async () => {
  const { db } = database
  const limit = { freeAttempts: 1, firstWaitSeconds: 60, maxSeconds: 600, resetSeconds: 3_600 }
  for (let attempt = 0; attempt < 2; attempt++) await countAttempt(db, 'cuenta', limit)
  expect(await countAttempt(db, 'cuenta', limit)).toBeGreaterThan(0)
  await refundAttempt(db, 'cuenta', limit)
  expect(await countAttempt(db, 'cuenta', limit)).toBe(0)
})
