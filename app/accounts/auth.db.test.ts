import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { changeClave, changeRol, createCuenta, withdrawCuenta } from '#app/accounts/people/mutations.server.ts'
import type { FaltaSegundo } from '#app/accounts/sign-in/attempt.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import type { Clock } from '#app/core/time/clock.server.ts'
import { REMITE } from '../../tests/escrito.ts'
import { openTestSite, type TestSite } from '../../tests/registro.ts'
import { type Acceso, type Cuentas, createCuentas } from './auth.server.ts'
import type { Rol } from './schema.ts'

/** Counts the hashes, which are made all the same. */
const hashed = vi.hoisted(() => vi.fn())
vi.mock('#app/accounts/passwords/hash.server.ts', async (original) => {
  const real = await original<typeof import('#app/accounts/passwords/hash.server.ts')>()
  const counted = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
    return (...args: Args) => {
      hashed()
      return work(...args)
    }
  }
  return { ...real, hashPassword: counted(real.hashPassword), verifyPassword: counted(real.verifyPassword) }
})

const AVISO = { remite: REMITE, now: new Date('2025-08-01T18:00:00Z') }
const CLAVE = 'guayaba-29-trenza'
let site: TestSite
let cuentas: Cuentas
let siteMs = Date.parse('2025-08-01T12:00:00-06:00')
const clock: Clock = { now: () => new Date(siteMs) }

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(() => {
  cuentas = fresh()
})
afterEach(() => vi.useRealTimers())

/** Another instance over the same database, which remembers nothing. */
const fresh = () => createCuentas({ ...site.services, clock })

let people = 0
async function make(rol: Rol, clave = CLAVE) {
  const correo = `persona${++people}@medio.example`
  expect(await createCuenta(site.services.db, { correo, rol, clave }, TERMINAL)).toMatchObject({ ok: true })
  return correo
}

let networks = 0
const network = () => `192.0.2.${++networks}`
const request = (cookie?: string) => new Request('https://feria.example/medios', cookie ? { headers: { cookie } } : {})
const cookieIn = (acceso: Acceso | FaltaSegundo) => {
  if (!acceso.ok) throw new Error(acceso.reason)
  return acceso.headers.getSetCookie()[0]!.split(';')[0]!
}
const signIn = (correo: unknown, clave: unknown = CLAVE, client = network(), cookie?: string) =>
  cuentas.signInPassword(request(cookie), client, correo, clave)
const enter = async (rol: Rol) => {
  const correo = await make(rol)
  return { correo, cookie: cookieIn(await signIn(correo)) }
}

test('the right password opens a session, in a cookie that only the server reads', async () => {
  const correo = await make('prensa')
  const acceso = await signIn(` ${correo.toUpperCase()} `)
  expect(acceso).toMatchObject({ ok: true, sesion: { correo, rol: 'prensa' } })
  const [line] = (acceso as { headers: Headers }).headers.getSetCookie()
  expect(line).toMatch(/^__Host-certamen\.session_token=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  expect(await fresh().getSession(request(cookieIn(acceso)))).toMatchObject({ correo, rol: 'prensa' })
})

test('a wrong password, an unknown account and one without password are refused alike', async () => {
  const correo = await make('admin')
  await site.services.db.insertInto('profiles').values(voter('votante@correo.example')).execute()
  for (const [who, clave] of [
    [correo, `${CLAVE}x`],
    ['nadie@medio.example', CLAVE],
    ['votante@correo.example', CLAVE],
    ['', ''],
    [undefined, undefined],
    ['a\r\nbcc: b@c.example', CLAVE],
    [`"${correo}"`, CLAVE],
    [`${'a'.repeat(310)}@medio.example`, CLAVE],
    ['persona@médio.example', CLAVE],
    [correo, 'x'.repeat(100_000)],
  ])
    expect(await signIn(who, clave)).toEqual({ ok: false, reason: 'credenciales' })
})

const voter = (email: string) => ({ id: `votante-${++people}`, name: '', email, role: null })

test('a refusal costs one hash, whether or not there is such an account', async () => {
  const correo = await make('admin')
  await site.services.db.insertInto('profiles').values(voter('otra@correo.example')).execute()
  for (const who of [correo, 'nadie@medio.example', 'otra@correo.example', '']) {
    hashed.mockClear()
    expect(await signIn(who, 'no es esta clave')).toEqual({ ok: false, reason: 'credenciales' })
    expect(hashed, who).toHaveBeenCalledTimes(1)
  }
})

test('a cookie altered, cut, signed with another secret or of nobody opens nothing', async () => {
  const { cookie } = await enter('admin')
  const [name, value] = cookie.split('=') as [string, string]
  const altered = `${value[0] === 'a' ? 'b' : 'a'}${value.slice(1)}`
  for (const bad of [altered, value.slice(0, 32), '', '.', '%', `${value}x`, value.replace(/\..*/, '.AAAA')])
    expect(await cuentas.getSession(request(`${name}=${bad}`)), bad).toBeUndefined()
  const other = createCuentas({ ...site.services, clock, keyed: keysOf('y'.repeat(40)) })
  expect(await other.getSession(request(cookie))).toBeUndefined()
})

test('signing in makes a new session and ends the one before; signing out ends it, and its cookie stays dead', async () => {
  const { correo, cookie } = await enter('prensa')
  const second = cookieIn(await signIn(correo, CLAVE, network(), cookie))
  expect(second).not.toBe(cookie)
  expect(await cuentas.getSession(request(cookie))).toBeUndefined()
  expect(await cuentas.getSession(request(second))).toBeDefined()
  const headers = await cuentas.signOut(request(second), network())
  expect(headers.get('set-cookie')).toMatch(/^__Host-certamen\.session_token=; Max-Age=0; Path=\/; HttpOnly/)
  for (const instance of [cuentas, fresh()]) expect(await instance.getSession(request(second))).toBeUndefined()
})

test.each([
  ['admin', 8 * 60],
  ['revision', 8 * 60],
  ['prensa', 24 * 60],
] as const)('a session of %s ends after %i minutes, by either clock, used or not', async (rol, minutes) => {
  const start = siteMs
  try {
    const { cookie } = await enter(rol)
    for (let used = 0; used < minutes; used += 29) {
      siteMs = start + used * 60_000
      await cuentas.useSesion(request(cookie))
    }
    siteMs = start + minutes * 60_000 - 1
    expect(await cuentas.getSession(request(cookie))).toBeDefined()
    siteMs = start + minutes * 60_000
    for (const instance of [cuentas, fresh()]) expect(await instance.getSession(request(cookie))).toBeUndefined()
    // The site's clock was put back: the machine's still counts.
    siteMs = start - 3_600_000
    expect(await cuentas.getSession(request(cookie))).toBeDefined()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
    for (const instance of [cuentas, fresh()]) expect(await instance.getSession(request(cookie))).toBeUndefined()
  } finally {
    siteMs = start
  }
})

test('an organiser’s session ends 30 minutes after its last use, and opens the results for 30 minutes from its sign-in', async () => {
  const start = siteMs
  const at = (minutes: number) => {
    siteMs = start + minutes * 60_000
  }
  try {
    const { cookie } = await enter('conteo')
    const session = () => cuentas.getSession(request(cookie))
    at(29)
    expect((await session())!.resultadosMs).toBeGreaterThan(0)
    await cuentas.useSesion(request(cookie))
    at(58)
    expect((await session())!.quedanMs).toBe(60_000)
    expect((await session())!.resultadosMs).toBeLessThan(0)
    at(59)
    expect(await session()).toBeUndefined()
    // One that has ended is not taken up again by its use.
    await cuentas.useSesion(request(cookie))
    expect(await session()).toBeUndefined()
    const { cookie: unused } = await enter('admin')
    at(59 + 30)
    expect(await cuentas.getSession(request(unused))).toBeUndefined()
    // Nor one that was never used.
    await cuentas.useSesion(request(unused))
    expect(await cuentas.getSession(request(unused))).toBeUndefined()
  } finally {
    siteMs = start
  }
})

test('a new role, a new password and a withdrawal end every session at once, everywhere', async () => {
  const { db } = site.services
  for (const change of [
    (correo: string) => changeRol(db, correo, 'admin', TERMINAL),
    (correo: string) => changeClave(db, correo, undefined, TERMINAL, AVISO),
    (correo: string) => withdrawCuenta(db, correo, clock.now(), TERMINAL),
  ]) {
    const { correo, cookie } = await enter('prensa')
    for (const instance of [cuentas, fresh()])
      expect(await instance.getSession(request(cookie))).toMatchObject({ correo })
    expect(await change(correo)).toMatchObject({ ok: true })
    for (const instance of [cuentas, fresh()]) expect(await instance.getSession(request(cookie))).toBeUndefined()
  }
})

test('a withdrawn account can be made again, with another password and role', async () => {
  const { db } = site.services
  const { correo, cookie } = await enter('admin')
  await make('admin')
  expect(await createCuenta(db, { correo, rol: 'prensa', clave: CLAVE }, TERMINAL)).toEqual({
    ok: false,
    reason: 'repetida',
  })
  await withdrawCuenta(db, correo, clock.now(), TERMINAL)
  const nueva = 'otra-cosa-muy-distinta'
  expect(await createCuenta(db, { correo, rol: 'prensa', clave: nueva }, TERMINAL)).toMatchObject({ ok: true })
  expect(await cuentas.getSession(request(cookie))).toBeUndefined()
  expect(await signIn(correo)).toEqual({ ok: false, reason: 'credenciales' })
  expect(await signIn(correo, nueva)).toMatchObject({ ok: true, sesion: { rol: 'prensa' } })
})

test('a withdrawn account, and one whose accreditation has run out, cannot sign in', async () => {
  const { db } = site.services
  const gone = await make('prensa')
  await withdrawCuenta(db, gone, clock.now(), TERMINAL)
  expect(await signIn(gone)).toEqual({ ok: false, reason: 'credenciales' })
  expect(await changeClave(db, gone, CLAVE, TERMINAL, AVISO)).toEqual({ ok: false, reason: 'desconocida' })

  const { correo, cookie } = await enter('prensa')
  await db.updateTable('profiles').set({ vigente_hasta: clock.now() }).where('email', '=', correo).execute()
  expect(await fresh().getSession(request(cookie))).toBeUndefined()
  expect(await signIn(correo)).toEqual({ ok: false, reason: 'credenciales' })
})

test('guesses on one account wait, longer each time, whichever network and instance they come from', async () => {
  const correo = await make('admin')
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      (at % 2 ? cuentas : fresh()).signInPassword(request(), network(), correo, `adivino-${at}-clave`),
    ),
  )
  const tried = guesses.filter((guess) => !guess.ok && guess.reason === 'credenciales')
  expect(tried).toHaveLength(5)
  // Five hashes may have taken as long as the wait, so it is set anew.
  await sql`update intentos set libre_at = now() + interval '15 seconds' where cuenta >= 5`.execute(site.services.db)
  // Even the right password waits, and an unknown account waits like any other.
  const held = await signIn(correo)
  expect(held).toMatchObject({ ok: false, reason: 'espera' })
  expect((held as { retrySeconds: number }).retrySeconds).toBeLessThanOrEqual(15)
  await site.services.db
    .updateTable('intentos')
    .set({ libre_at: new Date(0) })
    .execute()
  expect(await signIn(correo, 'otra vez mal')).toMatchObject({ reason: 'credenciales' })
  expect(((await signIn(correo)) as { retrySeconds: number }).retrySeconds).toBeGreaterThan(15)
  await site.services.db
    .updateTable('intentos')
    .set({ libre_at: new Date(0) })
    .execute()
  expect(await signIn(correo)).toMatchObject({ ok: true })
  expect(await signIn(correo, 'mal de nuevo')).toMatchObject({ reason: 'credenciales' })
})

test('guesses from one network wait, whatever the accounts', async () => {
  // This makes forty hashes, on a machine that may have other work.
  const client = network()
  let tried = 0
  for (let at = 0; at < 41; at++) {
    const guess = await signIn(`quien${at}@medio.example`, CLAVE, client)
    if (!guess.ok && guess.reason === 'credenciales') tried++
    else expect(guess).toMatchObject({ reason: 'espera' })
  }
  expect(tried).toBeGreaterThanOrEqual(40)
  // The wait is set anew, however long the guesses took.
  await sql`update intentos set libre_at = now() + interval '1 minute' where cuenta >= 40`.execute(site.services.db)
  expect(await signIn(await make('prensa'), CLAVE, client)).toMatchObject({ ok: false, reason: 'espera' })
  expect(await signIn(await make('prensa'))).toMatchObject({ ok: true })
}, 60_000)

test('guesses that an account refuses cost its network nothing', async () => {
  const [client, guessed] = [network(), await make('prensa')]
  for (let guess = 0; guess < 5; guess++) await signIn(guessed, 'esta no es', client)
  for (let guess = 0; guess < 60; guess++)
    expect(await signIn(guessed, 'esta no es', client)).toMatchObject({ ok: false, reason: 'espera' })
  expect(await signIn(await make('prensa'), CLAVE, client)).toMatchObject({ ok: true })
})

test('no account without a role can have a password, whoever tries', async () => {
  const { pool } = site.database
  const { id } = voter('sinclave@correo.example')
  await pool.query('insert into profiles (id, name, email) values ($1, $2, $3)', [id, '', 'sinclave@correo.example'])
  await expect(
    pool.query(
      `insert into accounts (id, user_id, account_id, provider_id, password) values ('a1', $1, $1, 'credential', 'x')`,
      [id],
    ),
  ).rejects.toThrow('can have no password')
  const correo = await make('prensa')
  await pool.query('update profiles set role = null where email = $1', [correo])
  expect(await signIn(correo)).toEqual({ ok: false, reason: 'credenciales' })
  const left = await pool.query('select 1 from accounts a join profiles p on p.id = a.user_id where p.email = $1', [
    correo,
  ])
  expect(left.rowCount).toBe(0)
})

test('the log says who entered, failed and left, never with an address or a name, and only grows', async () => {
  const { correo, cookie } = await enter('admin')
  await signIn(correo, 'esta no es')
  await cuentas.signOut(request(cookie), '198.51.100.7')
  const { rows } = await site.database.pool.query('select * from bitacora order by id desc limit 3')
  expect(rows.map(({ que }) => que)).toEqual(['salida', 'acceso.fallido', 'acceso'])
  // A failure on an account stands among its lines; one on an unknown address, under a hash.
  expect(rows[1]).toMatchObject({ quien: null, cuenta: rows[2].quien })
  expect(JSON.stringify(rows)).not.toMatch(/198\.51|medio\.example/)
  for (const change of ['update bitacora set que = que', 'delete from bitacora', 'truncate bitacora'])
    await expect(site.database.pool.query(change)).rejects.toThrow('only grows')
})
