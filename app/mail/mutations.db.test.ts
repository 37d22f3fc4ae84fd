import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { decryptMail, SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { dumpSince, freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { queueMail, queueMailBatch } from './mutations.server.ts'
import { claimMails } from './queue.server.ts'
import type { Letter, NewMail } from './schema.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const WORDS = (code: string) => ({
  subject: `${code} es tu palabra`,
  preheader: '',
  title: '',
  body: [{ code }],
  note: '',
})
/** An urgent message, which expires after ten minutes. */
const urgent = (code: string): Letter => ({
  kind: 'prueba',
  compose: () => WORDS(code),
  isUrgent: true,
  isDeletedAfterSending: true,
  lifeMs: 600_000,
})
const newMail = (change: Partial<NewMail> = {}): NewMail => ({
  ...urgent('482913'),
  to: 'ana@muñoz.mx',
  sender: SENDER,
  idempotencyKey: crypto.randomUUID(),
  ...change,
})
const rowOf = (idempotencyKey: string) =>
  database.db.selectFrom('correos').selectAll().where('idempotency_key', '=', idempotencyKey).execute()

test('an urgent message goes first, to the ASCII form of its address, and expires with its lifetime', async () => {
  const email = newMail()
  expect(await queueMail(database.db, email)).toEqual({ ok: true, id: expect.any(Number), isRepeated: false })
  const [row] = await rowOf(email.idempotencyKey)
  expect(row).toMatchObject({
    kind: 'prueba',
    priority: 0,
    pasajero: true,
    inscripcion_id: null,
    recipient: 'ana@xn--muoz-hqa.mx',
    attempts: 0,
    sent_at: null,
  })
  expect(decryptMail(row!).subject).toBe('482913 es tu palabra')
  expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000)
})

test('other messages are tried for five days', async () => {
  const { kind, compose } = urgent('482913')
  const email = { kind, compose, to: 'ana@muñoz.mx', sender: SENDER, idempotencyKey: crypto.randomUUID() }
  await queueMail(database.db, email)
  const [row] = await rowOf(email.idempotencyKey)
  expect(row).toMatchObject({ priority: 1, pasajero: false })
  expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(5 * 24 * 3_600_000)
})

test('the same message queued twenty times at once, and again, is one', async () => {
  const email = newMail()
  const answers = await Promise.all(Array.from({ length: 20 }, () => queueMail(database.db, email)))
  answers.push(await queueMail(database.db, { ...email, to: 'otra@ejemplo.mx' }))
  expect(answers.filter((answer) => answer.ok && !answer.isRepeated)).toHaveLength(1)
  expect(new Set(answers.map((answer) => answer.ok && answer.id)).size).toBe(1)
  expect(await rowOf(email.idempotencyKey)).toMatchObject([{ recipient: 'ana@xn--muoz-hqa.mx' }])
})

test('one message for many has each recipient’s own word wherever it goes, and goes once to each', async () => {
  const rows = ['482913', '000071'].map((individualPart, at) => ({
    idempotencyKey: crypto.randomUUID(),
    to: `v${at}@muñoz.mx`,
    individualPart,
  }))
  const queue = () =>
    queueMailBatch(database.db, urgent('######'), SENDER, '######', [
      ...rows,
      { idempotencyKey: 'nadie', to: 'niño@ejemplo.mx', individualPart: '111111' },
    ])
  await queue()
  await queue()
  for (const [at, { idempotencyKey, individualPart }] of rows.entries()) {
    const [row, ...more] = await rowOf(idempotencyKey)
    expect(more).toEqual([])
    expect(row).toMatchObject({ kind: 'prueba', priority: 0, pasajero: true, recipient: `v${at}@xn--muoz-hqa.mx` })
    expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000)
    for (const body of Object.values(decryptMail(row!))) {
      expect(body).toContain(individualPart)
      expect(body).not.toContain('######')
    }
  }
  expect(await rowOf('nadie')).toEqual([])
})

test('a queued message belongs to the caller’s transaction', async () => {
  const undone = newMail()
  const failing = database.db.transaction().execute(async (tx) => {
    await queueMail(tx, undone)
    throw new Error('the caller changes its mind')
  })
  await expect(failing).rejects.toThrow('changes its mind')
  expect(await rowOf(undone.idempotencyKey)).toEqual([])
  const done = newMail()
  await database.db.transaction().execute((tx) => queueMail(tx, done))
  expect(await rowOf(done.idempotencyKey)).toHaveLength(1)
})

test.each([
  'ana@ejemplo.mx\r\nBcc: otra@ejemplo.mx',
  '"ana"@ejemplo.mx',
  `${'a'.repeat(309)}@ejemplo.mx`,
  'niño@ejemplo.mx',
])('to %j nothing is queued', async (to) => {
  const email = newMail({ to })
  expect(await queueMail(database.db, email)).toMatchObject({ ok: false })
  expect(await rowOf(email.idempotencyKey)).toEqual([])
})

test('the database holds no message in plain text; moved to another row or address, a message cannot be read', async () => {
  const written = await dumpSince(database.pool)
  const email = newMail()
  await queueMail(database.db, email)
  await queueMailBatch(database.db, urgent('######'), SENDER, '######', [
    { idempotencyKey: crypto.randomUUID(), to: 'eva@ejemplo.mx', individualPart: '739154' },
  ])
  const dump = await written()
  expect(dump).toContain('eva@ejemplo.mx')
  for (const secret of ['482913', '739154', 'es tu palabra', 'text/html', '<html'])
    expect(dump.includes(secret), secret).toBe(false)
  const [row] = await rowOf(email.idempotencyKey)
  expect(decryptMail(row!).text).toContain('482913')
  expect(() => decryptMail({ ...row!, recipient: 'ladron@ejemplo.mx' })).toThrow()
  expect(() => decryptMail({ ...row!, idempotency_key: crypto.randomUUID() })).toThrow()
  expect(() => decryptMail(row!, createKeyDeriver('y'.repeat(40)))).toThrow()
  const changed = Buffer.from(row!.cifrado!)
  changed[40]! ^= 1
  expect(() => decryptMail({ ...row!, cifrado: changed })).toThrow()
})

test('strangers’ codes go after the others of their kind, also when they were asked for first', async () => {
  const { db, pool } = database
  await pool.query('truncate correos cascade')
  const row = (to: string, isUnproven: boolean) => ({
    idempotencyKey: crypto.randomUUID(),
    to,
    individualPart: '1',
    isUnproven,
  })
  for (const [to, isUnproven] of [
    ['ajena1@x.example', true],
    ['ajena2@x.example', true],
    ['ana@x.example', false],
  ] as const)
    await queueMailBatch(db, urgent('######'), SENDER, '######', [row(to, isUnproven)])
  await queueMail(db, { ...newMail({ to: 'eva@x.example' }), isUrgent: false })
  const order = []
  for (let taken = 0; taken < 4; taken++) order.push((await claimMails(db, SENDER.key, 1, 60_000))[0]!.to)
  expect(order).toEqual(['ana@x.example', 'ajena1@x.example', 'ajena2@x.example', 'eva@x.example'])
})
