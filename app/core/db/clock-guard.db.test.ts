import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshDatabase } from '#tests/support/persistence/database.ts'
import { checkClock, confirmClock, mayDeleteExpired, readClock } from './clock-guard.server.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const later = (ms: number) => new Date(Date.now() + ms)

test('the clock of a new site is compared with its start', async () => {
  const fresh = await freshDatabase()
  expect((await checkClock(fresh.db)).isAhead).toBe(false)
  await fresh.drop()
})

test('the stored moment follows the clock by a day at most, and back only after an hour of running', async () => {
  const { db, drop } = await freshDatabase()
  const start = new Date()
  await confirmClock(db, start)
  const ahead = await checkClock(db, later(25 * HOUR_MS), 100 * HOUR_MS)
  expect([ahead.isAhead, mayDeleteExpired(ahead, 100 * HOUR_MS)]).toEqual([true, false])
  expect(ahead.storedAt).toEqual(start)
  // A machine without a battery starts in 1970, until its clock is set.
  expect((await checkClock(db, new Date(0), HOUR_MS - 1)).storedAt).toEqual(start)
  // A wrong clock stored a moment far ahead; the right clock replaces it after its first hour.
  await sql`update reloj_visto set visto_at = ${later(300 * DAY_MS)}`.execute(db)
  const right = new Date()
  expect((await checkClock(db, right, HOUR_MS)).storedAt).toEqual(right)
  expect(mayDeleteExpired(await readClock(db, right), HOUR_MS)).toBe(true)
  expect(mayDeleteExpired(await readClock(db, right), HOUR_MS - 1)).toBe(false)
  await drop()
})

test('confirming the clock of the machine changes nothing when the clock of the database server lags', async () => {
  const { db, drop } = await freshDatabase()
  expect(await confirmClock(db, later(2 * DAY_MS))).toBe(false)
  expect(await confirmClock(db, later(HOUR_MS))).toBe(true)
  await drop()
})
