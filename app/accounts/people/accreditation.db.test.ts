import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createCuentas } from '#app/accounts/auth.server.ts'
import { findEnlace, setClaveByEnlace } from '#app/accounts/passwords/mailed-links.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { escritoDe, REMITE } from '../../../tests/escrito.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { acreditar, createCuenta, resendEnlace, withdrawCuenta } from './mutations.server.ts'
import { invitar } from './organisers.server.ts'

const CLAVE = 'guayaba-29-trenza'
const NOW = new Date('2025-08-01T12:00:00-06:00')
const AVISO = { remite: REMITE, now: NOW }
const DAY_MS = 24 * 60 * 60_000

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

let people = 0
const someone = () => `redaccion${++people}@medio.example`
const db = () => site.services.db
const accredit = (correo: string, change: { vigenteHasta?: Date; now?: Date; medio?: string } = {}) =>
  acreditar(db(), { correo, medio: change.medio ?? 'El Eco', vigenteHasta: change.vigenteHasta }, TERMINAL, {
    ...AVISO,
    now: change.now ?? NOW,
  })
const messages = (correo: string) =>
  db().selectFrom('correos').selectAll().where('recipient', '=', correo).orderBy('id').execute()
/** The end of the link in the newest message. */
const linkOf = async (correo: string) => {
  const [, llave] = /\/medios\/clave\?llave=([\w-]+)/.exec(escritoDe((await messages(correo)).at(-1)!).text)!
  return llave!
}
const setClave = (llave: string, clave = CLAVE, now = NOW) =>
  setClaveByEnlace(db(), llave, clave, 'rastro', { ...AVISO, now })
const signIn = (correo: string, clave = CLAVE) =>
  createCuentas({ ...site.services, clock: { now: () => NOW } }).signInPassword(
    new Request('https://feria.example/medios'),
    `192.0.2.${++people}`,
    correo,
    clave,
  )

test('who is accredited sets the password by the link that was mailed, and enters with it; the link serves once', async () => {
  const correo = someone()
  expect(await accredit(correo.toUpperCase())).toEqual({ ok: true, enlace: true })
  const [message] = await messages(correo)
  expect(message!.kind).toBe('acreditacion')
  expect(escritoDe(message!).subject).toContain('acreditación de prensa')
  expect(await signIn(correo)).toMatchObject({ ok: false })
  const llave = await linkOf(correo)
  expect(await findEnlace(db(), llave, NOW)).toEqual({ correo, rol: 'prensa', medio: 'El Eco' })
  expect(await setClave(llave, 'corta')).toEqual({ ok: false, reason: 'corta' })
  const both = await Promise.all([setClave(llave), setClave(llave, 'otra-frase-azul-91')])
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
  expect(await signIn(correo, both[0]!.ok ? CLAVE : 'otra-frase-azul-91')).toMatchObject({
    ok: true,
    sesion: { rol: 'prensa' },
  })
  expect(await setClave(llave)).toEqual({ ok: false, reason: 'enlace' })
  expect((await messages(correo)).at(-1)).toMatchObject({ kind: 'clave' })
})

test('a link made up, too old, replaced by a newer one or of a withdrawn account is void', async () => {
  const correo = someone()
  await accredit(correo)
  const first = await linkOf(correo)
  await accredit(correo)
  const second = await linkOf(correo)
  for (const llave of ['', 'inventada', first]) expect(await setClave(llave)).toEqual({ ok: false, reason: 'enlace' })
  expect(await setClave(second, CLAVE, new Date(NOW.getTime() + 7 * DAY_MS + 1))).toEqual({
    ok: false,
    reason: 'enlace',
  })
  await withdrawCuenta(db(), correo, NOW, TERMINAL)
  expect(await setClave(second)).toEqual({ ok: false, reason: 'enlace' })
  // A second accreditation sends a link of its own.
  expect(await accredit(correo)).toEqual({ ok: true, enlace: true })
  expect(await setClave(await linkOf(correo))).toMatchObject({ ok: true, rol: 'prensa' })
})

test('who has a password is told what changed, and gets no link that would set another', async () => {
  const correo = someone()
  await accredit(correo)
  await setClave(await linkOf(correo))
  const before = (await messages(correo)).length
  const vigenteHasta = new Date('2025-10-05T23:59:59.999-06:00')
  expect(await accredit(correo, { medio: 'El Eco de la Feria', vigenteHasta })).toEqual({ ok: true, enlace: false })
  const [message, ...more] = (await messages(correo)).slice(before)
  expect(more).toEqual([])
  expect(message).toMatchObject({ kind: 'vigencia' })
  expect(escritoDe(message!).text).toMatch(/El Eco de la Feria.*5 de octubre de 2025/s)
  expect(escritoDe(message!).text).not.toContain('llave=')
  expect(
    await db()
      .selectFrom('enlaces')
      .innerJoin('profiles', 'profiles.id', 'user_id')
      .select('email')
      .where('email', '=', correo)
      .execute(),
  ).toEqual([])
  expect(await signIn(correo)).toMatchObject({ ok: true })
})

test('a link that is used while its account is withdrawn is void; neither waits for the other for good', async () => {
  const correo = someone()
  await accredit(correo)
  const llave = await linkOf(correo)
  // This transaction does what a withdrawal does: it holds the account, and then deletes its links.
  const client = await site.database.pool.connect()
  await client.query('begin')
  await client.query('update profiles set baja_at = $2 where email = $1', [correo, NOW])
  const used = setClave(llave)
  await vi.waitFor(async () => {
    const { rows } = await site.database.pool.query(`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    expect(rows).toHaveLength(1)
  }, SOON)
  await client.query('delete from enlaces e using profiles p where p.id = e.user_id and p.email = $1', [correo])
  await client.query('commit')
  client.release()
  expect(await used).toEqual({ ok: false, reason: 'enlace' })
})
const SOON = { timeout: 30_000, interval: 20 }

test('an accreditation ends by itself; one that would have ended already is not given', async () => {
  const correo = someone()
  expect(await accredit(correo, { vigenteHasta: NOW })).toEqual({ ok: false, reason: 'pasada' })
  await accredit(correo, { vigenteHasta: new Date(NOW.getTime() + DAY_MS) })
  await setClave(await linkOf(correo))
  expect(await signIn(correo)).toMatchObject({ ok: true })
  await db().updateTable('profiles').set({ vigente_hasta: NOW }).where('email', '=', correo).execute()
  expect(await signIn(correo)).toMatchObject({ ok: false })
})

test('an organiser is no journalist by accident, a voter may become one; what is no address or no outlet is told', async () => {
  const admin = someone()
  await createCuenta(db(), { correo: admin, rol: 'admin', clave: CLAVE }, TERMINAL)
  expect(await accredit(admin)).toEqual({ ok: false, reason: 'repetida' })
  expect(await messages(admin)).toEqual([])
  const voter = someone()
  await db().insertInto('profiles').values({ id: 'votante', name: '', email: voter, role: null }).execute()
  expect(await accredit(voter)).toEqual({ ok: true, enlace: true })
  expect(await accredit('a\r\nbcc: b@c.example')).toEqual({ ok: false, reason: 'correo' })
  for (const medio of ['', '   ', 'x'.repeat(121)])
    expect(await accredit(someone(), { medio })).toEqual({ ok: false, reason: 'medio' })
})

test('an organiser is invited the same way, never out of a journalist by a slip; another link makes the first void', async () => {
  const correo = someone()
  expect(await invitar(db(), { correo, rol: 'admin' }, TERMINAL, AVISO)).toEqual({ ok: true })
  expect((await messages(correo)).at(-1)).toMatchObject({ kind: 'invitacion' })
  const first = await linkOf(correo)
  expect(await resendEnlace(db(), correo, TERMINAL, AVISO)).toEqual({ ok: true })
  expect(await setClave(first)).toEqual({ ok: false, reason: 'enlace' })
  expect(await setClave(await linkOf(correo))).toMatchObject({ ok: true, rol: 'admin' })
  expect(await invitar(db(), { correo, rol: 'admin' }, TERMINAL, AVISO)).toEqual({ ok: false, reason: 'repetida' })
  const press = someone()
  await accredit(press)
  expect(await invitar(db(), { correo: press, rol: 'admin' }, TERMINAL, AVISO)).toEqual({
    ok: false,
    reason: 'repetida',
  })
  expect(await resendEnlace(db(), 'nadie@medio.example', TERMINAL, AVISO)).toEqual({ ok: false, reason: 'desconocida' })
})
