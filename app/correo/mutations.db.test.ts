import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../tests/database.ts'
import { encolarCorreo, encolarIguales } from './mutations.server.ts'
import type { CorreoNuevo } from './schema.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const codigo = (change: Partial<CorreoNuevo> = {}): CorreoNuevo =>
  ({
    kind: 'codigo',
    codigo: '482913',
    minutos: 10,
    to: 'ana@muñoz.mx',
    sitio: 'https://feria.example',
    idempotencyKey: crypto.randomUUID(),
    ...change,
  }) as CorreoNuevo
const rowOf = (idempotencyKey: string) =>
  database.db.selectFrom('correos').selectAll().where('idempotency_key', '=', idempotencyKey).execute()

test('a code goes first, to the address as the network knows it, and no longer than it is in force', async () => {
  const correo = codigo()
  expect(await encolarCorreo(database.db, correo)).toEqual({ ok: true, id: expect.any(Number), repetido: false })
  const [row] = await rowOf(correo.idempotencyKey)
  expect(row).toMatchObject({
    kind: 'codigo',
    priority: 0,
    recipient: 'ana@xn--muoz-hqa.mx',
    subject: '482913 es tu código de Señorita Azahares',
    attempts: 0,
    sent_at: null,
  })
  expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000)
})

test('the others are tried for five days', async () => {
  const correo = codigo({ kind: 'clave', cuando: new Date() } as Partial<CorreoNuevo>)
  await encolarCorreo(database.db, correo)
  const [row] = await rowOf(correo.idempotencyKey)
  expect(row!.priority).toBe(1)
  expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(5 * 24 * 3_600_000)
})

test('the same message queued twenty times at once, and again, is one', async () => {
  const correo = codigo()
  const answers = await Promise.all(Array.from({ length: 20 }, () => encolarCorreo(database.db, correo)))
  answers.push(await encolarCorreo(database.db, { ...correo, to: 'otra@ejemplo.mx' }))
  expect(answers.filter((answer) => answer.ok && !answer.repetido)).toHaveLength(1)
  expect(new Set(answers.map((answer) => answer.ok && answer.id)).size).toBe(1)
  expect(await rowOf(correo.idempotencyKey)).toMatchObject([{ recipient: 'ana@xn--muoz-hqa.mx' }])
})

test('one message for many has each one’s own word wherever it goes, and goes once to each', async () => {
  const filas = ['482913', '000071'].map((propio, at) => ({
    clave: crypto.randomUUID(),
    to: `v${at}@muñoz.mx`,
    propio,
  }))
  const contenido = { kind: 'codigo', codigo: '######', minutos: 10 } as const
  const queue = () =>
    encolarIguales(database.db, contenido, 'https://feria.example', '######', [
      ...filas,
      { clave: 'nadie', to: 'niño@ejemplo.mx', propio: '111111' },
    ])
  await queue()
  await queue()
  for (const [at, { clave, propio }] of filas.entries()) {
    const [row, ...more] = await rowOf(clave)
    expect(more).toEqual([])
    expect(row).toMatchObject({ kind: 'codigo', priority: 0, recipient: `v${at}@xn--muoz-hqa.mx` })
    expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000)
    for (const body of [row!.subject, row!.body_text, row!.body_html]) {
      expect(body).toContain(propio)
      expect(body).not.toContain('######')
    }
  }
  expect(await rowOf('nadie')).toEqual([])
})

test('it belongs to the caller’s transaction', async () => {
  const undone = codigo()
  const failing = database.db.transaction().execute(async (tx) => {
    await encolarCorreo(tx, undone)
    throw new Error('the caller changes its mind')
  })
  await expect(failing).rejects.toThrow('changes its mind')
  expect(await rowOf(undone.idempotencyKey)).toEqual([])
  const done = codigo()
  await database.db.transaction().execute((tx) => encolarCorreo(tx, done))
  expect(await rowOf(done.idempotencyKey)).toHaveLength(1)
})

test.each([
  'ana@ejemplo.mx\r\nBcc: otra@ejemplo.mx',
  '"ana"@ejemplo.mx',
  `${'a'.repeat(309)}@ejemplo.mx`,
  'niño@ejemplo.mx',
])('to %j nothing is queued', async (to) => {
  const correo = codigo({ to })
  expect(await encolarCorreo(database.db, correo)).toMatchObject({ ok: false })
  expect(await rowOf(correo.idempotencyKey)).toEqual([])
})
