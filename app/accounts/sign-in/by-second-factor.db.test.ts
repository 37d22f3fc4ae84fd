import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { sendChangeAlerts } from '#app/accounts/people/change-alerts.server.ts'
import { changePassword, changeRole, deactivateAccount } from '#app/accounts/people/mutations.server.ts'
import type { Role } from '#app/accounts/schema.ts'
import {
  activateAuthenticator,
  beginAuthenticator,
  readSecondFactor,
  removeAuthenticator,
  renewRecoveryCodes,
} from '#app/accounts/second-factor/totp.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { makePerson, PASSWORD } from '#tests/support/accounts/people.ts'
import { codeOf, secretOf, wrongCode } from '#tests/support/accounts/second-factor.ts'
import { SignInBrowser } from '#tests/support/accounts/sign-in-browser.ts'
import { SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'

const MAIL_CONTEXT = { sender: SENDER, now: new Date('2025-08-01T18:00:00Z') }
let site: TestSite
let accounts: Accounts
const db = () => site.services.db

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  accounts = createAccounts(site.services)
  await emptyTables(site.database.pool, 'profiles', 'correos', 'intentos')
})

const make = (role?: Role) => makePerson(db(), role)
type Person = Awaited<ReturnType<typeof make>>

const shown = async ({ id, email }: Person) =>
  (await readSecondFactor(site.services, { userId: id, email, isRecentlyAuthenticated: true }, 'Certamen')).shownSecret
const minutesLater = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)

/** Gives an organiser an authenticator app. */
async function arm(person: Person) {
  expect(await beginAuthenticator(site.services, person.id)).toBe(true)
  const secret = secretOf((await shown(person))!.key)
  const made = await activateAuthenticator(site.services, person.id, await codeOf(secret), person.actor)
  if (!made.ok) throw new Error('not activated')
  minutesLater(1)
  return { secret, recoveryCodes: made.recoveryCodes }
}
let networks = 0
const browser = () => new SignInBrowser(accounts, `192.0.2.${++networks}`)
async function atSecondStep({ email }: Person) {
  const one = browser()
  expect(await one.signIn(email, PASSWORD)).toMatchObject({ ok: false, reason: 'segundo' })
  return one
}
const sessions = async () => (await db().selectFrom('sessions').select('id').execute()).length

test('a TOTP secret counts from its first code on, is stored encrypted, and is shown only soon after the password', async () => {
  const eva = await make()
  await beginAuthenticator(site.services, eva.id)
  const shownSecret = (await shown(eva))!
  expect(shownSecret.key).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
  expect(shownSecret.qr.path.length).toBeGreaterThan(1_000)
  const secret = secretOf(shownSecret.key)
  const later = await readSecondFactor(
    site.services,
    { userId: eva.id, email: eva.email, isRecentlyAuthenticated: false },
    'Certamen',
  )
  expect(later.shownSecret).toBeNull()
  // Before the first code, the password alone still signs in.
  expect(await browser().signIn(eva.email, PASSWORD)).toMatchObject({ ok: true })
  const code = await codeOf(secret)
  expect(await activateAuthenticator(site.services, eva.id, wrongCode(code), eva.actor)).toEqual({ ok: false })
  const made = await activateAuthenticator(site.services, eva.id, code, eva.actor)
  expect(made).toEqual({ ok: true, recoveryCodes: expect.any(Array) })
  const { recoveryCodes } = made as { recoveryCodes: string[] }
  expect(new Set(recoveryCodes).size).toBe(10)
  const { rows } = await sql<{ all: string }>`
    select (select string_agg(encode(secreto, 'escape'), '') from segundos)
      || (select string_agg(huella, '') from respaldos) || (select string_agg(b::text, '') from bitacora b) as all`.execute(
    db(),
  )
  for (const word of [secret, shownSecret.key, code, ...recoveryCodes]) expect(rows[0]!.all).not.toContain(word)
  expect(rows[0]!.all).not.toContain(recoveryCodes[0]!.replace('-', ''))
  // An active secret is not overwritten, and not shown again.
  expect(await beginAuthenticator(site.services, eva.id)).toBe(false)
  expect(await shown(eva)).toBeNull()
})

test('the password alone opens no session, not even for a moment; the code after it does', async () => {
  const eva = await make()
  const { secret } = await arm(eva)
  const own = await atSecondStep(eva)
  expect(await sessions()).toBe(0)
  expect(await accounts.getSession(own.request())).toBeUndefined()
  expect(await accounts.secondFactorMethods(own.request())).toEqual({ hasAuthenticator: true, hasPasskey: false })
  const cookie = own.cookie('antesala')!
  expect(cookie).toMatch(/^[\w-]{43}$/)
  expect(JSON.stringify((await site.database.pool.query('select * from antesalas')).rows)).not.toContain(cookie)
  expect(await own.pass({ via: 'codigo', text: wrongCode(await codeOf(secret)) })).toMatchObject({
    reason: 'credenciales',
  })
  expect(await own.pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({ ok: true })
  expect(await accounts.getSession(own.request())).toMatchObject({ email: eva.email, secondFactor: 'set' })
  expect(own.cookie('antesala')).toBeUndefined()
})

test('a second factor is not revealed before the right password, and the press has none', async () => {
  const [eva, note] = [await make(), await make('prensa')]
  await arm(eva)
  const judged = [
    await browser().signIn(eva.email, 'no es la clave'),
    await browser().signIn('nadie@comite.example', PASSWORD),
  ]
  expect(judged).toEqual([
    { ok: false, reason: 'credenciales' },
    { ok: false, reason: 'credenciales' },
  ])
  expect(await browser().signIn(note.email, PASSWORD)).toMatchObject({ ok: true, session: { secondFactor: null } })
})

test('a code serves once: neither again, nor from another browser at the same moment, nor an earlier one after it', async () => {
  const eva = await make()
  const { secret } = await arm(eva)
  const code = await codeOf(secret)
  const before = await codeOf(secret, -1)
  const [one, other] = [await atSecondStep(eva), await atSecondStep(eva)]
  const both = await Promise.all([one, other].map((each) => each.pass({ via: 'codigo', text: code })))
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  for (const text of [code, before])
    expect(await (await atSecondStep(eva)).pass({ via: 'codigo', text })).toMatchObject({
      reason: 'credenciales',
    })
  minutesLater(1)
  expect(await (await atSecondStep(eva)).pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({
    ok: true,
  })
  expect(await sessions()).toBe(2)
})

test('a recovery code serves once, also when it comes many times at once, and every organiser is told', async () => {
  const [eva, ana] = [await make(), await make()]
  const { recoveryCodes } = await arm(eva)
  const [first, second] = recoveryCodes as [string, string]
  const many = await Promise.all(Array.from({ length: 4 }, () => atSecondStep(eva)))
  const passed = await Promise.all(many.map((one) => one.pass({ via: 'respaldo', text: first })))
  expect(passed.filter(({ ok }) => ok)).toHaveLength(1)
  expect(await sessions()).toBe(1)
  expect(
    (await readSecondFactor(site.services, { userId: eva.id, ...eva, isRecentlyAuthenticated: true }, 'x'))
      .recoveryCodeCount,
  ).toBe(9)
  // People type a code in small letters, with blanks.
  const typed = ` ${second.toLowerCase().replace('-', ' ')}`
  expect(await (await atSecondStep(eva)).pass({ via: 'respaldo', text: typed })).toMatchObject({ ok: true })
  await sendChangeAlerts(site.services)
  const told = await db().selectFrom('correos').select('id').where('recipient', '=', ana.email).execute()
  expect(told.length).toBeGreaterThanOrEqual(3)
  // Another account's codes do not serve.
  const { recoveryCodes: hers } = await arm(ana)
  const tried = await (await atSecondStep(eva)).pass({ via: 'respaldo', text: hers[0]! })
  expect(tried).toMatchObject({ ok: false, reason: 'credenciales' })
})

test('guesses after the right password are limited and reported; a known device goes on', async () => {
  const eva = await make()
  const { secret } = await arm(eva)
  const own = await atSecondStep(eva)
  expect(await own.pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({ ok: true })
  minutesLater(1)
  const bad = wrongCode(await codeOf(secret))
  const thief = await atSecondStep(eva)
  // Of a hundred simultaneous guesses, five at most are tried.
  const guesses = await Promise.all(Array.from({ length: 100 }, () => thief.pass({ via: 'codigo', text: bad })))
  expect(guesses.filter((one) => !one.ok && one.reason === 'credenciales').length).toBeLessThanOrEqual(5)
  expect(guesses.some(({ ok }) => ok)).toBe(false)
  // The password, entered again, does not reset the account's count.
  for (let again = 0; again < 3; again++)
    expect(await (await atSecondStep(eva)).pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({
      reason: 'espera',
    })
  const lines = await db().selectFrom('bitacora').select('que').where('cuenta', '=', eva.id).execute()
  expect(lines.filter(({ que }) => que === 'acceso.fallido.segundo').length).toBeLessThanOrEqual(5)
  expect(lines.filter(({ que }) => que === 'cuenta.segundo.adivinado')).toHaveLength(1)
  // The account's known device has another count.
  expect(await own.signIn(eva.email, PASSWORD)).toMatchObject({ reason: 'segundo' })
  expect(await own.pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({ ok: true })
})

test('a stranger without the password uses up no attempts at the second factor', async () => {
  const eva = await make()
  const { secret } = await arm(eva)
  const stranger = browser()
  stranger.forge('__Host-certamen.antesala', 'A'.repeat(43))
  for (let again = 0; again < 20; again++)
    expect(await stranger.pass({ via: 'codigo', text: '123456' })).toEqual({ ok: false, reason: 'expired' })
  expect(await (await atSecondStep(eva)).pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({
    ok: true,
  })
})

test('a pending sign-in belongs to its browser, and ends after ten minutes and with a new password', async () => {
  const [eva, ana] = [await make(), await make()]
  const { secret } = await arm(eva)
  const hers = await arm(ana)
  const one = await atSecondStep(eva)
  // Ana's code is refused at Eva's sign-in, and so is Eva's code in a browser without the cookie.
  expect(await one.pass({ via: 'codigo', text: await codeOf(hers.secret) })).toMatchObject({ reason: 'credenciales' })
  const text = await codeOf(secret)
  expect(await browser().pass({ via: 'codigo', text })).toEqual({ ok: false, reason: 'expired' })
  await site.database.pool.query(`update antesalas set vence_at = now() - interval '1 second'`)
  expect(await one.pass({ via: 'codigo', text })).toEqual({ ok: false, reason: 'expired' })
  const two = await atSecondStep(eva)
  await changePassword(db(), eva.email, 'otra-frase-azul-91', TERMINAL, MAIL_CONTEXT)
  expect(await two.pass({ via: 'codigo', text })).toEqual({ ok: false, reason: 'expired' })
  // A new password removes no second factor.
  expect(await browser().signIn(eva.email, 'otra-frase-azul-91')).toMatchObject({ reason: 'segundo' })
  const three = await atSecondStep(ana)
  await changeRole(db(), ana.email, 'prensa', TERMINAL)
  expect(await three.pass({ via: 'codigo', text: await codeOf(hers.secret) })).toMatchObject({ ok: false })
  expect(await sessions()).toBe(0)
})

test('a secret moved to another account’s row, or read with another key, opens nothing and is no fault', async () => {
  const [eva, ana] = [await make(), await make()]
  const { secret } = await arm(eva)
  await arm(ana)
  await sql`update segundos set secreto = (select secreto from segundos where user_id = ${eva.id}) where user_id = ${ana.id}`.execute(
    db(),
  )
  const text = await codeOf(secret)
  expect(await (await atSecondStep(ana)).pass({ via: 'codigo', text })).toMatchObject({ reason: 'credenciales' })
})

test('removed factors and codes do not serve any more, and a withdrawn account keeps no second factor', async () => {
  const [eva, ana] = [await make(), await make()]
  const old = await arm(eva)
  const added = await renewRecoveryCodes(site.services, eva.id, eva.actor)
  expect(await (await atSecondStep(eva)).pass({ via: 'respaldo', text: old.recoveryCodes[0]! })).toMatchObject({
    ok: false,
  })
  expect(await (await atSecondStep(eva)).pass({ via: 'respaldo', text: added[0]! })).toMatchObject({ ok: true })
  expect(await removeAuthenticator(db(), eva.id, eva.actor)).toBe(true)
  expect(await browser().signIn(eva.email, PASSWORD)).toMatchObject({ ok: true })
  expect(await db().selectFrom('respaldos').selectAll().execute()).toEqual([])
  await arm(ana)
  await deactivateAccount(db(), ana.email, MAIL_CONTEXT.now, TERMINAL)
  expect(await db().selectFrom('segundos').selectAll().execute()).toEqual([])
})
