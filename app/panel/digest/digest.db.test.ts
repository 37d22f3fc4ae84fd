import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { readDigestFrequency, sendDigests, setDigestFrequency } from './digest.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
  await site.database.pool.query(`insert into profiles (id, name, email, role, baja_at) values
    ('a', 'Ana', 'ana@comite.example', 'admin', null), ('r', 'Rut', 'rut@comite.example', 'revision', null),
    ('s', 'Sol', 'sol@comite.example', 'sitio', null), ('b', 'Ida', 'ida@comite.example', 'admin', now()),
    ('p', 'Uma', 'uma@diario.example', 'prensa', null)`)
})
afterAll(() => site.close())
beforeEach(() => site.database.pool.query('delete from novedades; delete from correos; delete from inscripciones'))

const at = (day: string) => ({ ...site.services, clock: { now: () => new Date(`2025-08-${day}:00-06:00`) } })
const sow = (day: string, change: Parameters<typeof seedEntry>[1] = {}) =>
  seedEntry(site.services, { createdAt: new Date(`2025-08-${day}:00-06:00`), ...change })
const letters = () =>
  site.services.db.selectFrom('correos').selectAll().where('kind', '=', 'novedades').orderBy('id').execute()
const readers = async () => (await letters()).map(({ recipient }) => recipient.split('@')[0])

test('once a day, in the morning, organisers who see entries get the number of new entries, and no names', async () => {
  expect(await sendDigests(at('01T12:00'))).toBe(0)
  await sow('01T13:00', { titular: 'Lucía Magnolia' })
  await sow('01T14:00', { tipo: 'traje', titular: 'Rosa Clavel' })
  expect(await sendDigests(at('01T23:00'))).toBe(0)
  expect(await sendDigests(at('02T07:59'))).toBe(0)
  expect(await sendDigests(at('02T08:02'))).toBe(2)
  expect(await readers()).toEqual(['ana', 'rut'])
  const { text, subject, html } = decryptMail((await letters())[0]!)
  expect(text).toContain('Inscripciones nuevas: 1 candidata y 1 traje típico.')
  expect(text).toContain('Esperan al comité: 2 recibidas y 0 en revisión.')
  expect(text).toContain('https://feria.example/organizadores')
  expect(`${subject} ${text} ${html}`).not.toMatch(/Lucía|Magnolia|Rosa Clavel|Catrina/)
  expect(await sendDigests(at('02T09:00'))).toBe(0)
})

test('without news no digest is sent, and a later entry waits for the next morning', async () => {
  await sendDigests(at('01T12:00'))
  expect(await sendDigests(at('02T08:02'))).toBe(0)
  await sow('02T10:00')
  expect(await sendDigests(at('02T11:00'))).toBe(0)
  expect(await sendDigests(at('03T08:02'))).toBe(2)
})

test('«al-momento» sends at most every quarter of an hour, and «nunca» sends none', async () => {
  expect(await setDigestFrequency(at('01T12:00'), 'a', 'al-momento')).toBe(true)
  expect(await setDigestFrequency(at('01T12:00'), 'r', 'nunca')).toBe(true)
  expect(await setDigestFrequency(at('01T12:00'), 'r', 'a veces')).toBe(false)
  expect([await readDigestFrequency(site.services.db, 'a'), await readDigestFrequency(site.services.db, 's')]).toEqual([
    'al-momento',
    'diario',
  ])
  await sow('01T12:05')
  expect(await sendDigests(at('01T12:07'))).toBe(1)
  await sow('01T12:08')
  expect(await sendDigests(at('01T12:15'))).toBe(0)
  expect(await sendDigests(at('01T12:30'))).toBe(1)
  expect(await sendDigests(at('03T09:00'))).toBe(0)
  expect(await readers()).toEqual(['ana', 'ana'])
})

test('after «nunca» the first digest counts what is new since the change, and another frequency skips nothing', async () => {
  const id = await sow('01T09:00', { correo: 'ana@ejemplo.mx' })
  await sendDigests(at('01T12:00'))
  await setDigestFrequency(at('01T12:00'), 'a', 'nunca')
  await sow('02T10:00')
  await site.database.pool.query(
    `insert into correos (idempotency_key, kind, priority, recipient, body_text, expires_at, failed_at, last_error, inscripcion_id)
     values ('y', 'aceptada', 1, 'ana@ejemplo.mx', 'x', now(), now(), '550 RCPT TO', $1)`,
    [id],
  )
  await setDigestFrequency(at('05T12:00'), 'a', 'diario')
  await setDigestFrequency(at('05T12:00'), 'r', 'al-momento')
  await sow('05T13:00')
  expect(await sendDigests(at('06T08:02'))).toBe(2)
  const textOf = async (name: string) =>
    decryptMail((await letters()).find(({ recipient }) => recipient.startsWith(name))!).text
  expect(await textOf('ana')).toContain('Inscripciones nuevas: 1 candidata.')
  expect(await textOf('ana')).not.toContain('no les llegó su correo')
  expect(await textOf('rut')).toContain('Inscripciones nuevas: 2 candidatas.')
})

test('several processes send each digest once', async () => {
  await sendDigests(at('01T12:00'))
  await sow('01T13:00')
  const told = await Promise.all([1, 2, 3, 4].map(() => sendDigests(at('02T08:02'))))
  expect(told.reduce((sum, one) => sum + one, 0)).toBe(2)
  expect((await readers()).sort()).toEqual(['ana', 'rut'])
})

test('undelivered mail is reported, once', async () => {
  const id = await sow('01T09:00', { correo: 'ana@ejemplo.mx' })
  await sendDigests(at('01T12:00'))
  await site.database.pool.query(
    `insert into correos (idempotency_key, kind, priority, recipient, body_text, expires_at, failed_at, last_error, inscripcion_id)
     values ('x', 'aceptada', 1, 'ana@ejemplo.mx', 'x', now(), now(), '550 RCPT TO', $1)`,
    [id],
  )
  expect(await sendDigests(at('02T08:02'))).toBe(2)
  expect(decryptMail((await letters())[0]!).text).toContain('Inscripciones a las que no les llegó su correo: 1.')
  expect(await sendDigests(at('03T08:02'))).toBe(0)
})
