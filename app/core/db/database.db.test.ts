import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { startNetworkRelay } from '#tests/support/site/network-relay.ts'
import { openPool } from './database.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('an idle transaction is ended by the server, on every connection of the pool', async () => {
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

const TIMES = { longUseMs: 400, connectMs: 300, checkMs: 100 }

test('over a network that has gone silently queries fail, and work again once the network is back', async () => {
  const { host, port, user } = inject('postgres')
  const relay = await startNetworkRelay(join(host, `.s.PGSQL.${port}`))
  const pool = openPool({ host: '127.0.0.1', port: relay.port, user, database: 'postgres' }, 4, TIMES)
  try {
    await pool.query('select 1')
    relay.freeze()
    await expect(pool.query('select 2')).rejects.toThrow(/terminated/)
    relay.thaw()
    await expect
      .poll(() =>
        pool.query('select 3').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  } finally {
    await pool.end()
    await relay.stop()
  }
})

test('a connection that the server ends while it rests ends nothing else', async () => {
  const { host, port, user } = inject('postgres')
  const pool = openPool({ host, port, user, database: 'postgres' }, 2, TIMES)
  try {
    const { rows } = await pool.query('select pg_backend_pid() as pid')
    const admin = openPool({ host, port, user, database: 'postgres' }, 1)
    await admin.query('select pg_terminate_backend($1)', [rows[0].pid])
    await admin.end()
    await expect.poll(() => pool.totalCount).toBe(0)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  } finally {
    await pool.end()
  }
})

test('a statement that takes long is left alone while the server is there', async () => {
  const { host, port, user } = inject('postgres')
  const pool = openPool({ host, port, user, database: 'postgres' }, 2, TIMES)
  try {
    expect((await pool.query('select pg_sleep(2.5), 1 as one')).rows).toMatchObject([{ one: 1 }])
  } finally {
    await pool.end()
  }
})
