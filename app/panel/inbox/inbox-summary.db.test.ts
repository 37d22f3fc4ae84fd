import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedRows } from '#tests/support/entries/seeded-entries.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { visitInbox } from './inbox-summary.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('the summary counts new entries since the last visit and per day, and dates the oldest waiting entry', async () => {
  const { db, pool } = database
  const userId = randomUUID()
  await pool.query(`insert into profiles (id, name, email, role) values ($1, '', 'ana@comite.example', 'admin')`, [
    userId,
  ])
  // One entry every twenty seconds from midnight of 1 June, in the database's time zone.
  await seedRows(pool, 5_000)
  const { rows } = await pool.query<{ last: Date }>('select max(created_at) as last from inscripciones')
  const { last } = rows[0]!
  let now = last
  const services = {
    db,
    clock: { now: () => now },
    settings: { dataDir: tmpdir(), diskReserve: { bytes: 0 } },
  } as unknown as Parameters<typeof visitInbox>[0]
  const sit = () => visitInbox(services, { userId, role: 'revision' }, 2025)
  const inboxSummary = await sit()
  expect(inboxSummary).toMatchObject({ newEntryCount: 0, lastVisitText: null, mayViewResults: false })
  // The whole first visit has no visit before it.
  now = new Date(last.getTime() + 600_000)
  expect(await sit()).toMatchObject({ newEntryCount: 0, lastVisitText: null })
  await pool.query('update inscripciones set created_at = $1 where id <= 50', [new Date(last.getTime() + 900_000)])
  now = new Date(last.getTime() + 7_200_000)
  expect(await sit()).toMatchObject({ newEntryCount: 50, lastVisitText: expect.any(String) })
  // Within one visit, new entries stay new.
  now = new Date(now.getTime() + 60_000)
  expect((await sit()).newEntryCount).toBe(50)
  expect(inboxSummary.entriesPerDay).toHaveLength(14)
  expect(inboxSummary.entriesPerDay.reduce((sum, { count }) => sum + count, 0)).toBe(5_000)
  expect(inboxSummary.entriesPerDay.at(-1)!.isToday).toBe(true)
  expect(inboxSummary.oldestTextByState).toMatchObject({
    recibida: expect.any(String),
    'falta-documento': expect.any(String),
  })
})
