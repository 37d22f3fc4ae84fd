import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../tests/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a transaction that nobody goes on with is ended by the server, whichever connection it is on', async () => {
  const clients = await Promise.all([database.pool.connect(), database.pool.connect()])
  try {
    for (const client of clients)
      expect((await client.query('show idle_in_transaction_session_timeout')).rows).toEqual([
        { idle_in_transaction_session_timeout: '5min' },
      ])
  } finally {
    for (const client of clients) client.release()
  }
})
