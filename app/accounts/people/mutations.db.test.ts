import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyPassword } from '#app/accounts/passwords/hash.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { changeRole, createAccount, createFirstAdmin, deactivateAccount } from './mutations.server.ts'

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

  // Set after the first start, ADMIN_EMAIL takes the place of an address to which no mail arrives; it moves no other account.
  const emails = async () =>
    (await database.db.selectFrom('profiles').select('email').execute()).map(({ email }) => email)
  for (const address of ['comite@feria.example', 'otra@feria.example']) {
    expect(await createFirstAdmin(database.db, file, now, address)).toBeUndefined()
    expect(await emails()).toEqual(['comite@feria.example'])
  }
  expect(await readFile(file, 'utf8')).toContain('Correo: comite@feria.example\n')
  await database.db.updateTable('profiles').set({ email: 'organizacion@certamen.local' }).execute()
})

const PASSWORD = 'guayaba-29-trenza'
const NOW = new Date('2026-01-01T12:00:00Z')
const LATER = new Date('2026-02-01T12:00:00Z')
const make = (email: string, role: 'admin' | 'prensa', validUntil?: Date) =>
  createAccount(database.db, { email, role, password: PASSWORD, validUntil }, TERMINAL)
const withdraw = (email: string) => deactivateAccount(database.db, email, NOW, TERMINAL)
const admins = async () =>
  (
    await database.db
      .selectFrom('profiles')
      .select(['email', 'vigente_hasta'])
      .where('role', '=', 'admin')
      .where('baja_at', 'is', null)
      .orderBy('email')
      .execute()
  ).map(({ email, vigente_hasta }) => [email, vigente_hasta])

test('a journalist made organiser loses the last day; an organiser with a last day cannot be the only one left', async () => {
  await database.db.updateTable('profiles').set({ baja_at: NOW }).execute()
  await make('una@comite.example', 'admin')
  await make('pasajera@comite.example', 'admin', LATER)
  expect(await withdraw('una@comite.example')).toEqual({ ok: false, reason: 'lastAdmin' })
  expect(await changeRole(database.db, 'una@comite.example', 'prensa', TERMINAL)).toMatchObject({ ok: false })
  await make('nota@medio.example', 'prensa', LATER)
  expect(await changeRole(database.db, 'nota@medio.example', 'admin', TERMINAL)).toEqual({ ok: true })
  expect(await admins()).toEqual([
    ['nota@medio.example', null],
    ['pasajera@comite.example', LATER],
    ['una@comite.example', null],
  ])
  for (const email of ['una', 'pasajera']) expect(await withdraw(`${email}@comite.example`)).toEqual({ ok: true })
  expect(await withdraw('nota@medio.example')).toEqual({ ok: false, reason: 'lastAdmin' })
})

test('organisers who withdraw one another at once are handled one after the other, and one stays', async () => {
  await database.db.updateTable('profiles').set({ baja_at: NOW }).execute()
  const mails = Array.from({ length: 4 }, (_, at) => `rueda${at}@comite.example`)
  for (const email of mails) await make(email, 'admin')
  const answers = await Promise.all(mails.map(withdraw))
  expect(answers.filter(({ ok }) => !ok)).toEqual([{ ok: false, reason: 'lastAdmin' }])
  expect(await admins()).toHaveLength(1)
})
