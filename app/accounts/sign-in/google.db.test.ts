import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { sweepExpiredRows } from '#app/accounts/expired-rows.server.ts'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'

let site: TestSite
let accounts: Accounts
beforeAll(async () => {
  site = await openTestSite()
  const settings = {
    ...site.services.settings,
    google: { clientId: 'cliente-de-prueba', clientSecret: 'secreto-de-prueba' },
  }
  accounts = createAccounts({ ...site.services, settings })
})
afterAll(() => site.close())
afterEach(() => vi.unstubAllGlobals())

const ORIGIN = 'https://feria.example'
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Answers in place of Google's servers, which no test reaches. */
function google(claims: object): void {
  vi.stubGlobal('fetch', async (input: string | URL | Request) => {
    const url = String(input instanceof Request ? input.url : input)
    if (url !== 'https://oauth2.googleapis.com/token') throw new Error(`unexpected request to ${url}`)
    return Response.json({
      access_token: 'ficha-de-acceso',
      id_token: `${part({ alg: 'none' })}.${part({ aud: 'cliente-de-prueba', iss: 'https://accounts.google.com', ...claims })}.x`,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid email',
    })
  })
}

async function begin(next?: string, client = '192.0.2.1') {
  const answer = await accounts.beginGoogle(new Request(`${ORIGIN}/cuentas/google`), client, next)
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { to: new URL(answer.headers.get('location')!), cookie, status: answer.status }
}
const end = (state: string | null, cookie: string, client = '192.0.2.1') =>
  accounts.endGoogle(
    new Request(`${ORIGIN}/cuentas/callback/google?code=c&state=${state}`, { headers: { cookie } }),
    client,
  )

test('leads to Google, and a verified address comes back as a voter; no token of Google is kept', async () => {
  const { to, cookie, status } = await begin('/misspopularidad?vote=2')
  expect([status, to.origin, to.pathname]).toEqual([303, 'https://accounts.google.com', '/o/oauth2/v2/auth'])
  expect(to.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/cuentas/callback/google`)
  expect(to.searchParams.get('scope')!.split(' ').sort()).toEqual(['email', 'openid'])
  google({ sub: 'g-1', email: 'Lucia@correo.example', email_verified: true, name: 'Lucía' })
  const back = await end(to.searchParams.get('state'), cookie)
  expect([back.status, back.headers.get('location')]).toEqual([302, '/misspopularidad?vote=2'])
  const session = back.headers.getSetCookie().find((line) => line.startsWith('__Host-certamen.session_token='))!
  const signedIn = await accounts.getSession(new Request(ORIGIN, { headers: { cookie: session.split(';')[0]! } }))
  expect(signedIn).toMatchObject({ email: 'lucia@correo.example', role: null })
  const { rows } = await site.database.pool.query('select * from accounts where user_id = $1', [signedIn!.userId])
  expect(rows).toEqual([
    expect.objectContaining({ provider_id: 'google', access_token: null, id_token: null, password: null }),
  ])
})

test('an organiser’s address does not open the organisers’ account', async () => {
  const email = 'jefa@comite.example'
  await createAccount(site.services.db, { email, role: 'admin', password: 'guayaba-29-trenza' }, TERMINAL)
  const { to, cookie } = await begin()
  google({ sub: 'g-2', email, email_verified: true, name: 'Jefa' })
  const back = await end(to.searchParams.get('state'), cookie)
  expect(
    back.headers.getSetCookie().some((line) => line.includes('session_token=') && !line.includes('Max-Age=0')),
  ).toBe(false)
  const { rows } = await site.database.pool.query(
    'select 1 from sessions s join profiles p on p.id = s.user_id where p.email = $1',
    [email],
  )
  expect(rows).toEqual([])
})

test('a state that this browser did not begin, or used before, opens no session', async () => {
  const { to, cookie } = await begin()
  google({ sub: 'g-3', email: 'otra@correo.example', email_verified: true, name: 'Otra' })
  for (const [state, cookies] of [
    ['inventado', cookie],
    [to.searchParams.get('state'), ''],
  ] as const) {
    const back = await end(state, cookies)
    expect(back.headers.getSetCookie().some((line) => /session_token=[^;]/.test(line))).toBe(false)
  }
})

test('a script that goes to Google and back all the time leaves no more than a network may', async () => {
  const { pool } = site.database
  const count = async (table: string) => Number((await pool.query(`select count(*) as n from ${table}`)).rows[0].n)
  for (const [table, go] of [
    ['verifications', () => accounts.beginGoogle(new Request(`${ORIGIN}/cuentas/google`), '192.0.2.77', null)],
    ['bitacora', () => end('inventado', '', '192.0.2.77')],
  ] as const) {
    const before = await count(table)
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 400 }, go))
    const most = 301 + (5 * (performance.now() - began)) / 1_000
    const added = (await count(table)) - before
    expect([table, added >= 300, added <= most]).toEqual([table, true, true])
    const turnedAway = answers.filter(({ headers }) => headers.get('location') === '/misspopularidad?error=google')
    expect(turnedAway).toHaveLength(400 - added)
  }
})

test('an unfinished sign-in with Google is deleted an hour after it has expired', async () => {
  await begin()
  const { pool } = site.database
  const ids = async () => (await pool.query('select id from verifications')).rows.length
  const all = await ids()
  expect(all).toBeGreaterThan(0)
  await pool.query(`update verifications set expires_at = now() - interval '30 minutes'`)
  await sweepExpiredRows(site.services.db)
  expect(await ids()).toBe(all)
  await pool.query(`update verifications set expires_at = now() - interval '61 minutes'`)
  // A clock that leapt ahead deletes nothing.
  await sweepExpiredRows(site.services.db, new Date(Date.now() + 40 * 86_400_000))
  expect(await ids()).toBe(all)
  await sweepExpiredRows(site.services.db)
  expect(await ids()).toBe(0)
})

test.each([
  'https://otro.example/',
  '//otro.example',
  '/\\otro.example',
  '/%0d%0aset-cookie:x',
  'javascript:alert(1)',
  '/a/../../b\nc',
])('the way back from Google never leads to %j', async (next) => {
  const { to, cookie } = await begin(next)
  google({ sub: `g-${next}`, email: `x${Math.random()}@correo.example`, email_verified: true, name: 'X' })
  const location = (await end(to.searchParams.get('state'), cookie)).headers.get('location')!
  expect(new URL(location, ORIGIN).origin).toBe(ORIGIN)
  expect(location).not.toMatch(/[\r\n\\]/)
})
