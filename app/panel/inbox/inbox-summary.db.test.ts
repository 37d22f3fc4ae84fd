import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedBareEntries } from '#tests/support/entries/seeded-entries.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { recordLookAndReadSummary } from './inbox-summary.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('the summary counts new entries since the last visit, and dates the oldest waiting entry', async () => {
  const { db, pool } = database
  const userId = randomUUID()
  await pool.query(`insert into profiles (id, name, email, role) values ($1, '', 'ana@comite.example', 'admin')`, [
    userId,
  ])
  // One entry every twenty seconds from midnight of 1 June, in the database's time zone.
  await seedBareEntries(pool, 5_000)
  const { rows } = await pool.query<{ last: Date }>('select max(created_at) as last from inscripciones')
  const { last } = rows[0]!
  let now = last
  const sit = () => recordLookAndReadSummary(db, userId, 2025, now)
  expect(await sit()).toMatchObject({ newEntryCount: 0, lastVisitText: null, oldestText: expect.any(String) })
  // The whole first visit has no visit before it.
  now = new Date(last.getTime() + 600_000)
  expect(await sit()).toMatchObject({ newEntryCount: 0, lastVisitText: null })
  await pool.query('update inscripciones set created_at = $1 where id <= 50', [new Date(last.getTime() + 900_000)])
  now = new Date(last.getTime() + 7_200_000)
  expect(await sit()).toMatchObject({ newEntryCount: 50, lastVisitText: expect.any(String) })
  // Within one visit, new entries stay new.
  now = new Date(now.getTime() + 60_000)
  expect((await sit()).newEntryCount).toBe(50)
  await pool.query(`update inscripciones set estado = 'aceptada' where estado = 'recibida'`)
  expect((await sit()).oldestText).toBeUndefined()
})
