import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { changePassword, createAccount } from '#app/accounts/people/mutations.server.ts'
import type { Role } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { SignInBrowser } from '#tests/support/accounts/sign-in-browser.ts'
import { SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'

/** Counts calls of `hashPassword`; the real function still runs. */
const hashed = vi.hoisted(() => vi.fn())
vi.mock('#app/accounts/passwords/hash.server.ts', async (original) => {
  const real = await original<typeof import('#app/accounts/passwords/hash.server.ts')>()
  return {
    ...real,
    // For an unknown account better-auth hashes the password and drops the hash, so that the answer takes as long.
    hashPassword: (password: string) => {
      hashed()
      return real.hashPassword(password)
    },
  }
})

const MAIL_CONTEXT = { sender: SENDER, now: new Date('2025-08-01T18:00:00Z') }
const PASSWORD = 'guayaba-29-trenza'
let site: TestSite
let accounts: Accounts
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(() => {
  accounts = createAccounts(site.services)
})

let people = 0
async function make(role: Role) {
  const email = `persona${++people}@medio.example`
  expect(await createAccount(site.services.db, { email, role, password: PASSWORD }, TERMINAL)).toMatchObject({
    ok: true,
  })
  return email
}
let networks = 0
const network = () => `192.0.${(++networks >> 8) & 255}.${networks & 255}`
/** Signs in from a browser that no account knows. */
const signIn = (email: string, password = PASSWORD, client = network()) =>
  new SignInBrowser(accounts, client).signIn(email, password)

test('a preview ends with its session: the next sign-in begins without one', async () => {
  const own = new SignInBrowser(accounts, network())
  own.forge('__Host-certamen.vista', '2025')
  expect(await own.signIn(await make('sitio'), PASSWORD)).toMatchObject({ ok: true })
  expect(own.cookie('vista')).toBeUndefined()
})

test('a stranger’s guesses never keep a browser out that has entered before', async () => {
  const email = await make('admin')
  const own = new SignInBrowser(accounts, network())
  const first = await own.signIn(email, PASSWORD)
  const [, line] = (first as { headers: Headers }).headers.getSetCookie()
  expect(line).toMatch(
    /^__Host-certamen\.equipo-[0-9a-f]{8}=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  for (let guess = 0; guess < 8; guess++) await signIn(email, `adivino-${guess}-clave`)
  expect(await signIn(email)).toMatchObject({ ok: false, reason: 'espera' })
  // The stranger shares the browser's network, and has brought a wait on it, too.
  await sql`insert into intentos values (${accounts.traceOf(`red:${own.client}`)}, 99, now() + interval '5 minutes', now())
    on conflict (rastro) do update set libre_at = excluded.libre_at`.execute(site.services.db)
  expect(await own.signIn(email, PASSWORD)).toMatchObject({ ok: true, session: { email } })
  // The cookie opens nothing by itself, and guesses of a known device count apart from the account's.
  const judged = []
  for (let guess = 0; guess < 7; guess++) judged.push(await own.signIn(email, 'esta no es'))
  expect(judged.map((one) => !one.ok && one.reason)).toEqual([...Array(5).fill('credenciales'), 'espera', 'espera'])
})

test('a device is known to one account, with its present password, and to this site’s keys', async () => {
  const { db } = site.services
  const [email, other] = [await make('admin'), await make('prensa')]
  const own = new SignInBrowser(accounts, network())
  await own.signIn(email, PASSWORD)
  const held = async (one: SignInBrowser, who: string) => {
    for (let guess = 0; guess < 6; guess++) await signIn(who, 'esta no es')
    return !(await one.signIn(who, PASSWORD)).ok
  }
  expect(await held(own, other)).toBe(true)
  const forged = new SignInBrowser(accounts, network())
  const [name, value] = /certamen\.(equipo-\w+)=([^;]+)/.exec(own.request().headers.get('cookie')!)!.slice(1)
  forged.forge(
    `__Host-certamen.${name}`,
    value!.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  )
  expect(await held(forged, email)).toBe(true)
  expect(await own.signIn(email, PASSWORD)).toMatchObject({ ok: true })
  // One browser may be known to several accounts.
  const shared = new SignInBrowser(accounts, network())
  const [ana, eva] = [await make('prensa'), await make('prensa')]
  await shared.signIn(ana, PASSWORD)
  await shared.signIn(eva, PASSWORD)
  expect([await held(shared, ana), await held(shared, eva)]).toEqual([false, false])
  const newOne = 'otra-cosa-muy-distinta'
  await changePassword(db, email, newOne, TERMINAL, MAIL_CONTEXT)
  for (let guess = 0; guess < 6; guess++) await signIn(email, 'esta no es')
  expect(await own.signIn(email, newOne)).toMatchObject({ ok: false, reason: 'espera' })
}, 60_000)

test('266 sign-ins for invented accounts keep no organiser waiting, and are counted only where they were tried', async () => {
  const email = await make('admin')
  const own = new SignInBrowser(accounts, network())
  await own.signIn(email, PASSWORD)
  hashed.mockClear()
  const invented = Array.from({ length: 266 }, (_, at) => ({
    email: `inventada${at}@medio.example`,
    client: network(),
  }))
  const rush = invented.map(({ email, client }) => signIn(email, PASSWORD, client))
  // The invented sign-ins are in the queue before the organiser comes.
  await vi.waitFor(() => expect(hashed).toHaveBeenCalled(), { timeout: 60_000 })
  let before = 0
  for (const one of rush) void one.then((answer) => (before += !answer.ok && answer.reason === 'credenciales' ? 1 : 0))
  expect(await own.signIn(email, PASSWORD)).toMatchObject({ ok: true })
  // In a single queue, all invented sign-ins would have come before the organiser.
  expect(before).toBeLessThan(60)
  const answers = await Promise.all(rush)
  const tried = answers.filter((one) => !one.ok && one.reason === 'credenciales').length
  const full = answers.flatMap((one, at) => (!one.ok && one.reason === 'saturado' ? [at] : []))
  expect(full.length).toBeGreaterThan(60)
  expect(tried + full.length).toBe(266)
  const refused = invented[full[0]!]!
  expect(answers[full[0]!]).toEqual({ ok: false, reason: 'saturado', retrySeconds: 5, reto: expect.anything() })
  const { rows } = await sql<{ cuenta: number }>`
    select cuenta from intentos where rastro in
      (${accounts.traceOf(`cuenta:${refused.email}`)}, ${accounts.traceOf(`red:${refused.client}`)})`.execute(
    site.services.db,
  )
  expect(rows).toEqual([{ cuenta: 0 }, { cuenta: 0 }])
}, 120_000)

test('one network has a part of the queue; proof of work moves an attempt ahead, once, and for one account alone', async () => {
  const client = network()
  const crowd = Array.from({ length: 30 }, (_, at) => signIn(`gente${at}@medio.example`, PASSWORD, client))
  // A browser in another network is not held up.
  expect(await signIn(await make('prensa'))).toMatchObject({ ok: true })
  const answers = await Promise.all(crowd)
  const at = answers.findIndex((one) => !one.ok && one.reason === 'saturado')
  const refused = answers[at]!
  if (refused.ok || !refused.reto) throw new Error('no work was given')
  const stranger = new SignInBrowser(accounts, client)
  const proofOfWork = await stranger.done(refused.reto)
  const spent = async () => (await site.database.pool.query('select huella from trabajos')).rows
  // The work serves its own account once, and another account never.
  await stranger.signIn('otra@medio.example', PASSWORD, proofOfWork)
  expect(await spent()).toEqual([])
  expect(await stranger.signIn(`gente${at}@medio.example`, PASSWORD, proofOfWork)).toMatchObject({
    reason: 'credenciales',
  })
  expect(await spent()).toEqual([{ huella: refused.reto.signature }])
}, 60_000)
