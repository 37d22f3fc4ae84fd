import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore } from '#tests/support/persistence/database.ts'
import { wipeMails } from './queue.server.ts'

let database: Awaited<ReturnType<typeof databaseBefore>>
beforeAll(async () => {
  database = await databaseBefore('20260119100000')
})
afterAll(() => database.drop())

test('the migration ties messages to their entries, with which they are deleted, and marks the passing messages', async () => {
  const { pool } = database
  const query = async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[]
  await pool.query('alter table inscripciones disable trigger inscripcion_completa')
  const entry = (folio: string) =>
    query<{ id: number }>(
      `insert into inscripciones (tipo, edicion, folio, titular, detalle, celular, created_at)
       values ('traje', 2025, $1, 'Ana', 'Nopal', '33', now()) returning id`,
      [folio],
    ).then(([row]) => row!.id)
  const [ana, eva] = [await entry('AAAA-BBBB-CCCC'), await entry('DDDD-EEEE-FFFF')]
  const [asked] = await query<{ id: number }>(
    `insert into solicitudes (inscripcion_id, clase, nota) values ($1, 'identificacion', 'Borrosa') returning id`,
    [ana],
  )
  const keys = [
    ...['inscripcion:AAAA-BBBB-CCCC', `documento:${asked!.id}`, 'inscripcion:DDDD-EEEE-FFFF'],
    // Keys of an entry that is gone, and of messages that belong to no entry.
    ...['inscripcion:ZZZZ-ZZZZ-ZZZZ', 'codigo:1', 'puerta:1', 'clave:1'],
  ]
  for (const key of keys)
    await pool.query(
      `insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at, sent_at)
       values ($1, split_part($1, ':', 1), 1, 'a@b.mx', 'x', 'x', 'x', now(), $2)`,
      [key, key.startsWith('documento') ? null : new Date()],
    )

  await database.upgrade()

  const rows = await query('select idempotency_key, inscripcion_id, pasajero from correos order by id')
  expect(rows).toEqual(
    keys.map((key, at) => ({
      idempotency_key: key,
      inscripcion_id: [ana, ana, eva][at] ?? null,
      pasajero: /^(codigo|puerta)/.test(key),
    })),
  )
  await pool.query('delete from inscripciones where id = $1', [ana])
  expect(await query('select 1 from correos')).toHaveLength(keys.length - 2)
  await expect(pool.query('update correos set inscripcion_id = 99999')).rejects.toThrow('correos_inscripcion_id_fkey')
})

test('messages that wait during the migration are still there, and are wiped like all others', async () => {
  const before = await databaseBefore('20260124000000')
  try {
    const { pool } = before
    await pool.query(
      `insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at, sent_at)
       select 'm' || n, 'clave', 1, 'a@b.mx', 'x', 'x', 'x', now(), case when n = 2 then now() - interval '2 days' end
       from generate_series(1, 2) n`,
    )
    await before.upgrade()
    const { rows } = await pool.query('select idempotency_key, body_text, cifrado from correos order by id')
    expect(rows).toEqual([
      { idempotency_key: 'm1', body_text: 'x', cifrado: null },
      { idempotency_key: 'm2', body_text: 'x', cifrado: null },
    ])
    expect(await wipeMails(before.db)).toBe(1)
    await expect(pool.query(`update correos set body_text = null where idempotency_key = 'm1'`)).rejects.toThrow(
      'correos_con_palabras',
    )
  } finally {
    await before.drop()
  }
})
