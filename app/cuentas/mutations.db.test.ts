import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../tests/database.ts'
import { createFirstAdmin } from './mutations.server.ts'
import { verifyPassword } from './password.server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('the first administrator is made once, with a working password kept in a private file', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'certamen-')), 'primer-administrador.txt')
  const now = new Date('2026-01-01T12:00:00Z')
  const [one, two] = await Promise.all([
    createFirstAdmin(database.db, file, now),
    createFirstAdmin(database.db, file, now),
  ])
  const made = [one, two].filter((admin) => admin !== undefined)
  expect(made).toHaveLength(1)
  expect(await createFirstAdmin(database.db, file, now)).toBeUndefined()

  const { password } = await database.db.selectFrom('accounts').select('password').executeTakeFirstOrThrow()
  expect(await verifyPassword(made[0]!.password, password!)).toBe(true)
  expect(await verifyPassword(`${made[0]!.password}x`, password!)).toBe(false)
  expect(await readFile(file, 'utf8')).toContain(`Contraseña: ${made[0]!.password}\n`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})
