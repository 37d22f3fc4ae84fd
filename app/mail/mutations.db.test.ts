import { afterAll, beforeAll, expect, test } from 'vitest'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import { dumpSince, freshDatabase, type TestDatabase } from '../../tests/database.ts'
import { escritoDe, REMITE } from '../../tests/escrito.ts'
import { encolarCorreo, encolarIguales } from './mutations.server.ts'
import { takeCorreos } from './queue.server.ts'
import type { Carta, CorreoNuevo } from './schema.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const PALABRAS = (codigo: string) => ({
  subject: `${codigo} es tu palabra`,
  preheader: '',
  titulo: '',
  cuerpo: [{ codigo }],
  nota: '',
})
/** A message that somebody waits for; it is worth sending for ten minutes. */
const urgente = (codigo: string): Carta => ({
  kind: 'prueba',
  palabras: () => PALABRAS(codigo),
  urgente: true,
  pasajera: true,
  lifeMs: 600_000,
})
const correoNuevo = (change: Partial<CorreoNuevo> = {}): CorreoNuevo => ({
  ...urgente('482913'),
  to: 'ana@muñoz.mx',
  remite: REMITE,
  idempotencyKey: crypto.randomUUID(),
  ...change,
})
const rowOf = (idempotencyKey: string) =>
  database.db.selectFrom('correos').selectAll().where('idempotency_key', '=', idempotencyKey).execute()

test('what somebody waits for goes first, to the address as the network knows it, and no longer than it is worth sending', async () => {
  const correo = correoNuevo()
  expect(await encolarCorreo(database.db, correo)).toEqual({ ok: true, id: expect.any(Number), repetido: false })
  const [row] = await rowOf(correo.idempotencyKey)
  expect(row).toMatchObject({
    kind: 'prueba',
    priority: 0,
    pasajero: true,
    inscripcion_id: null,
    recipient: 'ana@xn--muoz-hqa.mx',
    attempts: 0,
    sent_at: null,
  })
  expect(escritoDe(row!).subject).toBe('482913 es tu palabra')
  expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000)
})

test('the others are tried for five days', async () => {
  const { kind, palabras } = urgente('482913')
  const correo = { kind, palabras, to: 'ana@muñoz.mx', remite: REMITE, idempotencyKey: crypto.randomUUID() }
  await encolarCorreo(database.db, correo)
  const [row] = await rowOf(correo.idempotencyKey)
  expect(row).toMatchObject({ priority: 1, pasajero: false })
  expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(5 * 24 * 3_600_000)
})

test('the same message queued twenty times at once, and again, is one', async () => {
  const correo = correoNuevo()
  const answers = await Promise.all(Array.from({ length: 20 }, () => encolarCorreo(database.db, correo)))
  answers.push(await encolarCorreo(database.db, { ...correo, to: 'otra@ejemplo.mx' }))
  expect(answers.filter((answer) => answer.ok && !answer.repetido)).toHaveLength(1)
  expect(new Set(answers.map((answer) => answer.ok && answer.id)).size).toBe(1)
  expect(await rowOf(correo.idempotencyKey)).toMatchObject([{ recipient: 'ana@xn--muoz-hqa.mx' }])
})

test('one message for many has each one’s own word wherever it goes, and goes once to each', async () => {
  const filas = ['482913', '000071'].map((propio, at) => ({
    idempotencyKey: crypto.randomUUID(),
    to: `v${at}@muñoz.mx`,
    propio,
  }))
  const queue = () =>
    encolarIguales(database.db, urgente('######'), REMITE, '######', [
      ...filas,
      { idempotencyKey: 'nadie', to: 'niño@ejemplo.mx', propio: '111111' },
    ])
  await queue()
  await queue()
  for (const [at, { idempotencyKey, propio }] of filas.entries()) {
    const [row, ...more] = await rowOf(idempotencyKey)
    expect(more).toEqual([])
    expect(row).toMatchObject({ kind: 'prueba', priority: 0, pasajero: true, recipient: `v${at}@xn--muoz-hqa.mx` })
    expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000)
    for (const body of Object.values(escritoDe(row!))) {
      expect(body).toContain(propio)
      expect(body).not.toContain('######')
    }
  }
  expect(await rowOf('nadie')).toEqual([])
})

test('it belongs to the caller’s transaction', async () => {
  const undone = correoNuevo()
  const failing = database.db.transaction().execute(async (tx) => {
    await encolarCorreo(tx, undone)
    throw new Error('the caller changes its mind')
  })
  await expect(failing).rejects.toThrow('changes its mind')
  expect(await rowOf(undone.idempotencyKey)).toEqual([])
  const done = correoNuevo()
  await database.db.transaction().execute((tx) => encolarCorreo(tx, done))
  expect(await rowOf(done.idempotencyKey)).toHaveLength(1)
})

test.each([
  'ana@ejemplo.mx\r\nBcc: otra@ejemplo.mx',
  '"ana"@ejemplo.mx',
  `${'a'.repeat(309)}@ejemplo.mx`,
  'niño@ejemplo.mx',
])('to %j nothing is queued', async (to) => {
  const correo = correoNuevo({ to })
  expect(await encolarCorreo(database.db, correo)).toMatchObject({ ok: false })
  expect(await rowOf(correo.idempotencyKey)).toEqual([])
})

test('whoever reads the database reads no word of it; moved to another row, or another address, it is worth nothing', async () => {
  const written = await dumpSince(database.pool)
  const correo = correoNuevo()
  await encolarCorreo(database.db, correo)
  await encolarIguales(database.db, urgente('######'), REMITE, '######', [
    { idempotencyKey: crypto.randomUUID(), to: 'eva@ejemplo.mx', propio: '739154' },
  ])
  const dump = await written()
  expect(dump).toContain('eva@ejemplo.mx')
  for (const secret of ['482913', '739154', 'es tu palabra', 'text/html', '<html'])
    expect(dump.includes(secret), secret).toBe(false)
  const [row] = await rowOf(correo.idempotencyKey)
  expect(escritoDe(row!).text).toContain('482913')
  expect(() => escritoDe({ ...row!, recipient: 'ladron@ejemplo.mx' })).toThrow()
  expect(() => escritoDe({ ...row!, idempotency_key: crypto.randomUUID() })).toThrow()
  expect(() => escritoDe(row!, keysOf('y'.repeat(40)))).toThrow()
  const changed = Buffer.from(row!.cifrado!)
  changed[40]! ^= 1
  expect(() => escritoDe({ ...row!, cifrado: changed })).toThrow()
})

test('strangers’ codes go after the others of their kind, whoever asked first', async () => {
  const { db, pool } = database
  await pool.query('truncate correos cascade')
  const row = (to: string, ajeno: boolean) => ({ idempotencyKey: crypto.randomUUID(), to, propio: '1', ajeno })
  for (const [to, ajeno] of [
    ['ajena1@x.example', true],
    ['ajena2@x.example', true],
    ['ana@x.example', false],
  ] as const)
    await encolarIguales(db, urgente('######'), REMITE, '######', [row(to, ajeno)])
  await encolarCorreo(db, { ...correoNuevo({ to: 'eva@x.example' }), urgente: false })
  const order = []
  for (let taken = 0; taken < 4; taken++) order.push((await takeCorreos(db, REMITE.llave, 1, 60_000))[0]!.to)
  expect(order).toEqual(['ana@x.example', 'ajena1@x.example', 'ajena2@x.example', 'eva@x.example'])
})
