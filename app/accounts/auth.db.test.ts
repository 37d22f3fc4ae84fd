import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { changePassword, changeRole, createAccount, deactivateAccount } from '#app/accounts/people/mutations.server.ts'
import type { SecondFactorRequired } from '#app/accounts/sign-in/attempt.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import type { Clock } from '#app/core/time/clock.server.ts'
import { SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { type Accounts, createAccounts, type SignInResult } from './auth.server.ts'
import type { Role } from './schema.ts'

/** Counts calls of the hash functions; the real functions still run. */
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

const MAIL_CONTEXT = { sender: SENDER, now: new Date('2025-08-01T18:00:00Z') }
const PASSWORD = 'guayaba-29-trenza'
let site: TestSite
let accounts: Accounts
let siteMs = Date.parse('2025-08-01T12:00:00-06:00')
const clock: Clock = { now: () => new Date(siteMs) }

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(() => {
  accounts = fresh()
})
afterEach(() => vi.useRealTimers())

/** Another instance over the same database, with nothing in memory. */
const fresh = () => createAccounts({ ...site.services, clock })

let people = 0
async function make(role: Role, password = PASSWORD) {
  const email = `persona${++people}@medio.example`
  expect(await createAccount(site.services.db, { email, role, password }, TERMINAL)).toMatchObject({
    ok: true,
  })
  return email
}

let networks = 0
const network = () => `192.0.2.${++networks}`
const request = (cookie?: string) => new Request('https://feria.example/medios', cookie ? { headers: { cookie } } : {})
const cookieIn = (signInResult: SignInResult | SecondFactorRequired) => {
  if (!signInResult.ok) throw new Error(signInResult.reason)
  return signInResult.headers.getSetCookie()[0]!.split(';')[0]!
}
const signIn = (email: unknown, password: unknown = PASSWORD, client = network(), cookie?: string) =>
  accounts.signInPassword(request(cookie), client, email, password)
const enter = async (role: Role) => {
  const email = await make(role)
  return { email, cookie: cookieIn(await signIn(email)) }
}

test('the right password opens a session, in a cookie that only the server reads', async () => {
  const email = await make('prensa')
  const signInResult = await signIn(` ${email.toUpperCase()} `)
  expect(signInResult).toMatchObject({ ok: true, session: { email, role: 'prensa' } })
  const [line] = (signInResult as { headers: Headers }).headers.getSetCookie()
  expect(line).toMatch(/^__Host-certamen\.session_token=[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  expect(await fresh().getSession(request(cookieIn(signInResult)))).toMatchObject({ email, role: 'prensa' })
})

test('a wrong password, an unknown account and one without password are refused alike', async () => {
  const email = await make('admin')
  await site.services.db.insertInto('profiles').values(voter('votante@correo.example')).execute()
  for (const [who, password] of [
    [email, `${PASSWORD}x`],
    ['nadie@medio.example', PASSWORD],
    ['votante@correo.example', PASSWORD],
    ['', ''],
    [undefined, undefined],
    ['a\r\nbcc: b@c.example', PASSWORD],
    [`"${email}"`, PASSWORD],
    [`${'a'.repeat(310)}@medio.example`, PASSWORD],
    ['persona@médio.example', PASSWORD],
    [email, 'x'.repeat(100_000)],
  ])
    expect(await signIn(who, password)).toEqual({ ok: false, reason: 'credenciales' })
})

const voter = (email: string) => ({ id: `votante-${++people}`, name: '', email, role: null })

test('a refused sign-in costs one hash, whether or not the account exists', async () => {
  const email = await make('admin')
  await site.services.db.insertInto('profiles').values(voter('otra@correo.example')).execute()
  for (const who of [email, 'nadie@medio.example', 'otra@correo.example', '']) {
    hashed.mockClear()
    expect(await signIn(who, 'no es esta clave')).toEqual({ ok: false, reason: 'credenciales' })
    expect(hashed, who).toHaveBeenCalledTimes(1)
  }
})

test('a cookie that is altered, cut, malformed or signed with another secret opens no session', async () => {
  const { cookie } = await enter('admin')
  const [name, value] = cookie.split('=') as [string, string]
  const altered = `${value[0] === 'a' ? 'b' : 'a'}${value.slice(1)}`
  for (const bad of [altered, value.slice(0, 32), '', '.', '%', `${value}x`, value.replace(/\..*/, '.AAAA')])
    expect(await accounts.getSession(request(`${name}=${bad}`)), bad).toBeUndefined()
  const other = createAccounts({ ...site.services, clock, keyed: createKeyDeriver('y'.repeat(40)) })
  expect(await other.getSession(request(cookie))).toBeUndefined()
})

test('signing in makes a new session and ends the one before; signing out ends it, and its cookie stays dead', async () => {
  const { email, cookie } = await enter('prensa')
  const second = cookieIn(await signIn(email, PASSWORD, network(), cookie))
  expect(second).not.toBe(cookie)
  expect(await accounts.getSession(request(cookie))).toBeUndefined()
  expect(await accounts.getSession(request(second))).toBeDefined()
  const headers = await accounts.signOut(request(second), network())
  expect(headers.get('set-cookie')).toMatch(/^__Host-certamen\.session_token=; Max-Age=0; Path=\/; HttpOnly/)
  for (const instance of [accounts, fresh()]) expect(await instance.getSession(request(second))).toBeUndefined()
})

test.each([
  ['admin', 8 * 60],
  ['revision', 8 * 60],
  ['prensa', 24 * 60],
] as const)('a session of %s ends after %i minutes, by either clock, used or not', async (role, minutes) => {
  const start = siteMs
  try {
    const { cookie } = await enter(role)
    for (let used = 0; used < minutes; used += 29) {
      siteMs = start + used * 60_000
      await accounts.touchSession(request(cookie))
    }
    siteMs = start + minutes * 60_000 - 1
    expect(await accounts.getSession(request(cookie))).toBeDefined()
    siteMs = start + minutes * 60_000
    for (const instance of [accounts, fresh()]) expect(await instance.getSession(request(cookie))).toBeUndefined()
    // With the site's clock put back, the machine's clock still ends the session.
    siteMs = start - 3_600_000
    expect(await accounts.getSession(request(cookie))).toBeDefined()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
    for (const instance of [accounts, fresh()]) expect(await instance.getSession(request(cookie))).toBeUndefined()
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
    const session = () => accounts.getSession(request(cookie))
    at(29)
    expect((await session())!.remainingResultsAccessMs).toBeGreaterThan(0)
    await accounts.touchSession(request(cookie))
    at(58)
    expect((await session())!.remainingMs).toBe(60_000)
    expect((await session())!.remainingResultsAccessMs).toBeLessThan(0)
    at(59)
    expect(await session()).toBeUndefined()
    // Use does not revive an ended session.
    await accounts.touchSession(request(cookie))
    expect(await session()).toBeUndefined()
    const { cookie: unused } = await enter('admin')
    at(59 + 30)
    expect(await accounts.getSession(request(unused))).toBeUndefined()
    // Use does not revive an ended session that was never used, either.
    await accounts.touchSession(request(unused))
    expect(await accounts.getSession(request(unused))).toBeUndefined()
  } finally {
    siteMs = start
  }
})

test('a new role, a new password and a withdrawal end every session at once, everywhere', async () => {
  const { db } = site.services
  for (const change of [
    (email: string) => changeRole(db, email, 'admin', TERMINAL),
    (email: string) => changePassword(db, email, undefined, TERMINAL, MAIL_CONTEXT),
    (email: string) => deactivateAccount(db, email, clock.now(), TERMINAL),
  ]) {
    const { email, cookie } = await enter('prensa')
    for (const instance of [accounts, fresh()])
      expect(await instance.getSession(request(cookie))).toMatchObject({ email })
    expect(await change(email)).toMatchObject({ ok: true })
    for (const instance of [accounts, fresh()]) expect(await instance.getSession(request(cookie))).toBeUndefined()
  }
})

test('a withdrawn account can be made again, with another password and role', async () => {
  const { db } = site.services
  const { email, cookie } = await enter('admin')
  await make('admin')
  expect(await createAccount(db, { email, role: 'prensa', password: PASSWORD }, TERMINAL)).toEqual({
    ok: false,
    reason: 'alreadyUsed',
  })
  await deactivateAccount(db, email, clock.now(), TERMINAL)
  const newOne = 'otra-cosa-muy-distinta'
  expect(await createAccount(db, { email, role: 'prensa', password: newOne }, TERMINAL)).toMatchObject({
    ok: true,
  })
  expect(await accounts.getSession(request(cookie))).toBeUndefined()
  expect(await signIn(email)).toEqual({ ok: false, reason: 'credenciales' })
  expect(await signIn(email, newOne)).toMatchObject({ ok: true, session: { role: 'prensa' } })
})

test('a withdrawn account, and one whose accreditation has run out, cannot sign in', async () => {
  const { db } = site.services
  const gone = await make('prensa')
  await deactivateAccount(db, gone, clock.now(), TERMINAL)
  expect(await signIn(gone)).toEqual({ ok: false, reason: 'credenciales' })
  expect(await changePassword(db, gone, PASSWORD, TERMINAL, MAIL_CONTEXT)).toEqual({ ok: false, reason: 'unknown' })

  const { email, cookie } = await enter('prensa')
  await db.updateTable('profiles').set({ vigente_hasta: clock.now() }).where('email', '=', email).execute()
  expect(await fresh().getSession(request(cookie))).toBeUndefined()
  expect(await signIn(email)).toEqual({ ok: false, reason: 'credenciales' })
})

test('guesses on one account wait, longer each time, whichever network and instance they come from', async () => {
  const email = await make('admin')
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      (at % 2 ? accounts : fresh()).signInPassword(request(), network(), email, `adivino-${at}-clave`),
    ),
  )
  const tried = guesses.filter((guess) => !guess.ok && guess.reason === 'credenciales')
  expect(tried).toHaveLength(5)
  // Five hashes may have taken as long as the wait, so the test sets the wait anew.
  await sql`update intentos set libre_at = now() + interval '15 seconds' where cuenta >= 5`.execute(site.services.db)
  // Even the right password waits.
  const held = await signIn(email)
  expect(held).toMatchObject({ ok: false, reason: 'espera' })
  expect((held as { retrySeconds: number }).retrySeconds).toBeLessThanOrEqual(15)
  await site.services.db
    .updateTable('intentos')
    .set({ libre_at: new Date(0) })
    .execute()
  expect(await signIn(email, 'otra vez mal')).toMatchObject({ reason: 'credenciales' })
  expect(((await signIn(email)) as { retrySeconds: number }).retrySeconds).toBeGreaterThan(15)
  await site.services.db
    .updateTable('intentos')
    .set({ libre_at: new Date(0) })
    .execute()
  expect(await signIn(email)).toMatchObject({ ok: true })
  expect(await signIn(email, 'mal de nuevo')).toMatchObject({ reason: 'credenciales' })
})

test('guesses from one network wait, also when each is for another account', async () => {
  // Forty hashes may take long on a busy machine.
  const client = network()
  let tried = 0
  for (let at = 0; at < 41; at++) {
    const guess = await signIn(`quien${at}@medio.example`, PASSWORD, client)
    if (!guess.ok && guess.reason === 'credenciales') tried++
    else expect(guess).toMatchObject({ reason: 'espera' })
  }
  expect(tried).toBeGreaterThanOrEqual(40)
  // The guesses may have taken as long as the wait, so the test sets the wait anew.
  await sql`update intentos set libre_at = now() + interval '1 minute' where cuenta >= 40`.execute(site.services.db)
  expect(await signIn(await make('prensa'), PASSWORD, client)).toMatchObject({ ok: false, reason: 'espera' })
  expect(await signIn(await make('prensa'))).toMatchObject({ ok: true })
}, 60_000)

test('guesses that an account refuses cost its network nothing', async () => {
  const [client, guessed] = [network(), await make('prensa')]
  for (let guess = 0; guess < 5; guess++) await signIn(guessed, 'esta no es', client)
  for (let guess = 0; guess < 60; guess++)
    expect(await signIn(guessed, 'esta no es', client)).toMatchObject({ ok: false, reason: 'espera' })
  expect(await signIn(await make('prensa'), PASSWORD, client)).toMatchObject({ ok: true })
})

test('an account without a role can have no password, also when SQL inserts one', async () => {
  const { pool } = site.database
  const { id } = voter('sinclave@correo.example')
  await pool.query('insert into profiles (id, name, email) values ($1, $2, $3)', [id, '', 'sinclave@correo.example'])
  await expect(
    pool.query(
      `insert into accounts (id, user_id, account_id, provider_id, password) values ('a1', $1, $1, 'credential', 'x')`,
      [id],
    ),
  ).rejects.toThrow('can have no password')
  const email = await make('prensa')
  await pool.query('update profiles set role = null where email = $1', [email])
  expect(await signIn(email)).toEqual({ ok: false, reason: 'credenciales' })
  const left = await pool.query('select 1 from accounts a join profiles p on p.id = a.user_id where p.email = $1', [
    email,
  ])
  expect(left.rowCount).toBe(0)
})

test('the audit log notes sign-ins, failures and sign-outs without addresses or names, and only grows', async () => {
  const { email, cookie } = await enter('admin')
  await signIn(email, 'esta no es')
  await accounts.signOut(request(cookie), '198.51.100.7')
  const { rows } = await site.database.pool.query('select * from bitacora order by id desc limit 3')
  expect(rows.map(({ que }) => que)).toEqual(['salida', 'acceso.fallido', 'acceso'])
  // A failed sign-in on a known account is logged under the account's id.
  expect(rows[1]).toMatchObject({ quien: null, cuenta: rows[2].quien })
  expect(JSON.stringify(rows)).not.toMatch(/198\.51|medio\.example/)
  for (const change of ['update bitacora set que = que', 'delete from bitacora', 'truncate bitacora'])
    await expect(site.database.pool.query(change)).rejects.toThrow('only grows')
})
