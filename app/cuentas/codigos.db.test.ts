import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TERMINAL } from '#app/bitacora/mutations.server.ts'
import { openTestSite, type TestSite } from '../../tests/registro.ts'
import { type Cuentas, createCuentas } from './auth.server.ts'
import { createCuenta } from './mutations.server.ts'

let site: TestSite
let cuentas: Cuentas
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(() => {
  cuentas = fresh()
})
const fresh = () => createCuentas(site.services)

let people = 0
const someone = () => `votante${++people}@correo.example`
const network = () => `192.0.2.${++people}`
const request = (cookie?: string) => new Request('https://feria.example/entrar', cookie ? { headers: { cookie } } : {})
const ask = (correo: unknown, client = network()) => cuentas.requestCode(request(), client, correo)
const enter = (correo: unknown, codigo: unknown, client = network()) =>
  cuentas.signInCode(request(), client, correo, codigo)
const messages = (correo: string) =>
  site.services.db.selectFrom('correos').selectAll().where(sql`lower(recipient)`, '=', correo).orderBy('id').execute()
/** The code in the newest message to an address. */
const codeOf = async (correo: string) => (await messages(correo)).at(-1)!.subject!.slice(0, 6)
const profilesOf = (correo: string) =>
  site.services.db.selectFrom('profiles').selectAll().where('email', '=', correo).execute()
const another = (codigo: string) => codigo.replace(/\d$/, (last) => String((Number(last) + 1) % 10))

test('the code that was mailed opens a voter’s session, once, however it is typed', async () => {
  const correo = someone()
  expect(await ask(` ${correo.toUpperCase()} `)).toEqual({ ok: true })
  const [message] = await messages(correo)
  expect(message).toMatchObject({ kind: 'codigo', priority: 0, subject: expect.stringMatching(/^\d{6} es tu/) })
  // The part before the @ is sent as it was typed.
  expect(message!.recipient.split('@')[0]).toBe(correo.split('@')[0]!.toUpperCase())
  const codigo = await codeOf(correo)
  const acceso = await enter(correo, ` ${codigo.slice(0, 3)}-${codigo.slice(3)} `)
  expect(acceso).toMatchObject({ ok: true, sesion: { correo, rol: null } })
  const [line] = (acceso as { headers: Headers }).headers.getSetCookie()
  expect(line).toMatch(
    /^__Secure-certamen\.session_token=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  expect(await fresh().getSession(request(line!.split(';')[0]))).toMatchObject({ correo, rol: null })
  expect(await enter(correo, codigo)).toEqual({ ok: false, reason: 'credenciales' })
  expect(await profilesOf(correo)).toHaveLength(1)
})

test('neither somebody else’s code, nor the one before the last, nor one that came too late opens anything', async () => {
  const [one, other] = [someone(), someone()]
  await ask(one)
  await ask(other)
  const first = await codeOf(one)
  expect(await enter(other, first)).toEqual({ ok: false, reason: 'credenciales' })
  await ask(one)
  const second = await codeOf(one)
  if (second !== first) expect(await enter(one, first)).toEqual({ ok: false, reason: 'credenciales' })
  await site.database.pool.query(`update verifications set expires_at = now() - interval '1 second'`)
  expect(await enter(one, second)).toEqual({ ok: false, reason: 'credenciales' })
  expect(await profilesOf(one)).toEqual([])
})

test('three wrong attempts end a code; a hundred guesses at once are no better', async () => {
  const slow = someone()
  await ask(slow)
  const codigo = await codeOf(slow)
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await enter(slow, another(codigo))).toEqual({ ok: false, reason: 'credenciales' })
  const late = await Promise.all(Array.from({ length: 4 }, () => enter(slow, codigo)))
  expect(late).toEqual(Array.from({ length: 4 }, () => ({ ok: false, reason: 'credenciales' })))

  const fast = someone()
  await ask(fast)
  const right = await codeOf(fast)
  // The right code is the hundredth guess.
  const guesses = Array.from({ length: 100 }, (_, at) => String((Number(right) + at + 1) % 1_000_000)).with(99, right)
  const tried = await Promise.all(guesses.map((guess) => enter(fast, guess.padStart(6, '0'))))
  expect(tried[99]).toMatchObject({ ok: false })
  const judged = tried.filter((acceso) => !acceso.ok && acceso.reason === 'credenciales')
  expect(judged.length).toBeGreaterThanOrEqual(1)
  expect(judged.length).toBeLessThanOrEqual(9)
  expect(tried.filter(({ ok }) => ok)).toEqual([])
})

test('asked for twice at once there is one code in force, and the right one entered twice at once is one account', async () => {
  const correo = someone()
  expect(await Promise.all([ask(correo), ask(correo)])).toEqual([{ ok: true }, { ok: true }])
  const { rows } = await site.database.pool.query(`select 1 from verifications where identifier like $1`, [
    `%${correo}`,
  ])
  expect(rows).toHaveLength(1)
  const codes = (await messages(correo)).map(({ subject }) => subject!.slice(0, 6))
  let entered = 0
  for (const codigo of new Set(codes)) {
    const twice = await Promise.all([enter(correo, codigo), enter(correo, codigo)])
    entered += twice.filter(({ ok }) => ok).length
  }
  expect(entered).toBe(1)
  expect(await profilesOf(correo)).toHaveLength(1)
})

test('an organiser or a journalist gets no code, and whoever asks cannot tell', async () => {
  const correo = someone()
  await createCuenta(site.services.db, { correo, rol: 'prensa', clave: 'guayaba-29-trenza' }, TERMINAL)
  expect(await ask(correo)).toEqual(await ask(someone()))
  const [message, ...more] = await messages(correo)
  expect(more).toEqual([])
  expect(message!.subject).toMatch(/entra con contraseña$/)
  expect(message!.body_text).not.toMatch(/\d{3} ?\d{3}/)
  expect(await enter(correo, '123456')).toEqual({ ok: false, reason: 'credenciales' })
})

test('an address that no message could go to is told apart; a code is never kept in plain', async () => {
  for (const bad of [
    '',
    'a@b',
    'a\r\nbcc: c@d.example',
    '"a b"@c.example',
    `${'a'.repeat(310)}@c.example`,
    'ñ@c.example',
    7,
    null,
  ])
    expect(await ask(bad)).toEqual({ ok: false, reason: 'correo' })
  for (const bad of ['12345', '1234567', '１２３４５６', 'abcdef', '', undefined])
    expect(await enter(someone(), bad)).toEqual({ ok: false, reason: 'credenciales' })
  const correo = someone()
  await ask(correo)
  const { rows } = await site.database.pool.query<{ value: string }>(
    `select value from verifications where identifier like $1`,
    [`%${correo}`],
  )
  expect(rows[0]!.value).not.toContain(await codeOf(correo))
})

test('codes for one address, and from one network, come slower and slower', async () => {
  const correo = someone()
  let sent = 0
  while ((await ask(correo)).ok) sent++
  expect(sent).toBe(3)
  expect(await ask(correo)).toEqual({ ok: false, reason: 'espera', retrySeconds: expect.any(Number) })
  const client = network()
  const began = performance.now()
  const many = await Promise.all(Array.from({ length: 400 }, () => ask(someone(), client)))
  const seconds = (performance.now() - began) / 1_000
  const entered = many.filter(({ ok }) => ok).length
  expect(entered).toBeGreaterThanOrEqual(300)
  expect(entered).toBeLessThanOrEqual(301 + 5 * seconds)
  // A town behind one network address is slowed, never shut out.
  const held = many.find(({ ok }) => !ok) as { retrySeconds: number }
  expect(held.retrySeconds).toBeLessThanOrEqual(2)
})

test('a rush over two processes: nobody waits for good, nobody gets two, and the count is one', async () => {
  const [one, other] = [fresh(), fresh()]
  const networks = Array.from({ length: 20 }, network)
  const correos = Array.from({ length: 400 }, someone)
  const shared = someone()
  // Half of the town asks of one process, half of the other. One mail address asks of both, and the two meet the
  // networks in opposite orders.
  const asks = correos.map((correo, at) => [
    () => one.requestCode(request(), networks[at % 20]!, at % 2 ? correo : shared),
    () => other.requestCode(request(), networks[19 - (at % 20)]!, at % 2 ? shared : correo),
  ])
  const answers = await Promise.all(asks.flat().map((go) => go()))
  const own = answers.filter(({ ok }) => ok).length - 3
  expect(own).toBe(correos.length)
  const { rows } = await site.database.pool.query<{ recipient: string; times: number }>(
    `select recipient, count(*)::int as times from correos where recipient = any($1) group by recipient`,
    [[...correos, shared]],
  )
  expect(rows.filter(({ times }) => times !== 1)).toEqual([{ recipient: shared, times: 3 }])
  expect(rows).toHaveLength(correos.length + 1)

  // All of them enter from one network: right codes are not counted against it.
  const { rows: mails } = await site.database.pool.query<{ recipient: string; codigo: string }>(
    `select recipient, left(subject, 6) as codigo from correos where recipient = any($1)`,
    [correos],
  )
  const before = await entries()
  const client = network()
  const entered = await Promise.all(
    mails.map(({ recipient, codigo }, at) =>
      (at % 2 ? one : other).signInCode(request(), at < 150 ? client : network(), recipient, codigo),
    ),
  )
  expect(entered.filter(({ ok }) => !ok)).toEqual([])
  expect(await entries()).toBe(before + correos.length)
  const { rows: charged } = await site.database.pool.query(
    `select 1 from intentos where rastro = any($1) and libre_at > now() + interval '1 second'`,
    [[one.traceOf(`red-codigo:${client}`)]],
  )
  expect(charged).toEqual([])
})
const entries = async () =>
  (await site.services.db.selectFrom('bitacora').select('id').where('que', '=', 'acceso.codigo').execute()).length

test('a voter never gets a password, not even by hand', async () => {
  const correo = someone()
  await ask(correo)
  await enter(correo, await codeOf(correo))
  const [profile] = await profilesOf(correo)
  await expect(
    site.database.pool.query(
      `insert into accounts (id, user_id, account_id, provider_id, password) values ('x', $1, $1, 'credential', 'x')`,
      [profile!.id],
    ),
  ).rejects.toThrow(/has no role/)
  expect(await cuentas.signInPassword(request(), network(), correo, 'guayaba-29-trenza')).toMatchObject({ ok: false })
})
