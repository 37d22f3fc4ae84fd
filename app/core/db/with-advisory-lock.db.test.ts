import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { withAdvisoryLock } from './with-advisory-lock.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a lock belongs to one holder for as long as its work takes, and is free once the work has ended or failed', async () => {
  const [mine, other] = [await database.pool.connect(), await database.pool.connect()]
  try {
    const long = withAdvisoryLock(mine, ADVISORY_LOCKS.preparePublication, () => sleep(1_500, 'done'), 400)
    await sleep(1_000)
    expect(await withAdvisoryLock(other, ADVISORY_LOCKS.preparePublication, async () => 'too')).toBeUndefined()
    expect(await long).toBe('done')
    const failing = async () => {
      throw new Error('no')
    }
    await expect(withAdvisoryLock(other, ADVISORY_LOCKS.preparePublication, failing)).rejects.toThrow('no')
    expect(await withAdvisoryLock(mine, ADVISORY_LOCKS.preparePublication, async () => 'again')).toBe('again')
  } finally {
    mine.release()
    other.release()
  }
})

test('the database takes the lock back from a machine that is gone', async () => {
  const [gone, other] = [await database.pool.connect(), await database.pool.connect()]
  gone.on('error', () => {})
  try {
    // The last statements of a machine that then vanishes.
    await gone.query('begin')
    await gone.query('set local idle_in_transaction_session_timeout = 300')
    await gone.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.backup])
    expect(await withAdvisoryLock(other, ADVISORY_LOCKS.backup, async () => true)).toBeUndefined()
    await vi.waitFor(
      async () => expect(await withAdvisoryLock(other, ADVISORY_LOCKS.backup, async () => true)).toBe(true),
      5_000,
    )
  } finally {
    gone.release(true)
    other.release()
  }
})
