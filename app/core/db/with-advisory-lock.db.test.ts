import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../tests/database.ts'
import { CANDADOS } from './advisory-locks.ts'
import { bajoCandado } from './with-advisory-lock.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a lock is one work’s for as long as the work takes, and free once it has ended or failed', async () => {
  const [mine, other] = [await database.pool.connect(), await database.pool.connect()]
  try {
    const long = bajoCandado(mine, CANDADOS.preparar, () => sleep(1_500, 'done'), 400)
    await sleep(1_000)
    expect(await bajoCandado(other, CANDADOS.preparar, async () => 'too')).toBeUndefined()
    expect(await long).toBe('done')
    const failing = async () => {
      throw new Error('no')
    }
    await expect(bajoCandado(other, CANDADOS.preparar, failing)).rejects.toThrow('no')
    expect(await bajoCandado(mine, CANDADOS.preparar, async () => 'again')).toBe('again')
  } finally {
    mine.release()
    other.release()
  }
})

test('the database takes it back from a machine that is gone', async () => {
  const [gone, other] = [await database.pool.connect(), await database.pool.connect()]
  gone.on('error', () => {})
  try {
    // What the machine does while it is there: nothing comes from it any more.
    await gone.query('begin')
    await gone.query('set local idle_in_transaction_session_timeout = 300')
    await gone.query('select pg_advisory_xact_lock($1)', [CANDADOS.copiar])
    expect(await bajoCandado(other, CANDADOS.copiar, async () => true)).toBeUndefined()
    await vi.waitFor(async () => expect(await bajoCandado(other, CANDADOS.copiar, async () => true)).toBe(true), 5_000)
  } finally {
    gone.release(true)
    other.release()
  }
})
