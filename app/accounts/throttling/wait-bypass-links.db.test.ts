import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { changePassword, deactivateAccount } from '#app/accounts/people/mutations.server.ts'
import { activateAuthenticator, beginAuthenticator, readSecondFactor } from '#app/accounts/second-factor/totp.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { isMailStalled, readMailAvailability } from '#app/mail/data.server.ts'
import { makePerson, PASSWORD } from '#tests/support/accounts/people.ts'
import { codeOf, secretOf, wrongCode } from '#tests/support/accounts/second-factor.ts'
import { SignInBrowser } from '#tests/support/accounts/sign-in-browser.ts'
import { decryptMail, SENDER } from '#tests/support/mail/decrypted-mail.ts'
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
  await emptyTables(site.database.pool, 'profiles', 'correos', 'intentos', 'trabajos')
})

let networks = 0
const browser = () => new SignInBrowser(accounts, `192.0.2.${++networks}`)
const make = () => makePerson(db())

/** Tries wrong passwords until the account keeps every unknown browser waiting. */
async function besiege(email: string) {
  for (let guess = 0; guess < 7; guess++) await browser().signIn(email, 'esta no es la mía')
  expect(await browser().signIn(email, PASSWORD)).toMatchObject({ ok: false, reason: 'espera' })
}
const letters = async (email: string, kind: string) =>
  (await db().selectFrom('correos').selectAll().where('recipient', '=', email).where('kind', '=', kind).execute()).map(
    (row) => decryptMail(row, site.services.keyed),
  )
async function linkTo(email: string) {
  expect(await accounts.requestRecoveryLink(`198.51.100.${++networks}`, email, 'paso')).toBe(0)
  return /paso\?llave=([\w.-]+)/.exec((await letters(email, 'paso')).at(-1)!.text)![1]!
}
/** Uses a link in a browser. */
async function open(one: SignInBrowser, key: string) {
  const used = await accounts.waitBypassLinks.use(key)
  if (!used) return false
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(used.cookie)!
  one.forge(name!, value!)
  return true
}

test('a mailed link lets the right password past others’ wrong ones, in one browser, once', async () => {
  const [eva, ana] = [await make(), await make()]
  await besiege(eva.email)
  await besiege(ana.email)
  const key = await linkTo(eva.email)
  const [own, other] = [browser(), browser()]
  // Opening the link, as mail scanners do, does not use it up.
  expect(await accounts.waitBypassLinks.find(key)).toMatchObject({ email: eva.email })
  const [first, second] = await Promise.all([open(own, key), open(other, key)])
  expect([first, second].sort()).toEqual([false, true])
  expect(await accounts.waitBypassLinks.find(key)).toBeUndefined()
  const [opened, left] = first ? [own, other] : [other, own]
  expect(await left.signIn(eva.email, PASSWORD)).toMatchObject({ reason: 'espera' })
  // The link's cookie opens nothing by itself, and does not help with another account.
  expect(await opened.signIn(ana.email, PASSWORD)).toMatchObject({ reason: 'espera' })
  expect(await opened.signIn(eva.email, 'esta no es la mía')).toMatchObject({ reason: 'credenciales' })
  expect(await opened.signIn(eva.email, PASSWORD)).toMatchObject({ ok: true, session: { email: eva.email } })
  // After the sign-in the browser is a known device.
  await besiege(eva.email)
  vi.setSystemTime(Date.now() + 24 * 3_600_000)
  expect(await opened.signIn(eva.email, PASSWORD)).toMatchObject({ ok: true })
})

test('the second factor is still required, and links add no attempts to it', async () => {
  const eva = await make()
  await beginAuthenticator(site.services, eva.id)
  const { shownSecret } = await readSecondFactor(
    site.services,
    { userId: eva.id, email: eva.email, isRecentlyAuthenticated: true },
    'Certamen',
  )
  const secret = secretOf(shownSecret!.key)
  await activateAuthenticator(site.services, eva.id, await codeOf(secret), eva.actor)
  vi.setSystemTime(Date.now() + 60_000)
  await besiege(eva.email)
  const text = await codeOf(secret)
  const tried = []
  for (let link = 0; link < 2; link++) {
    const one = browser()
    expect(await open(one, await linkTo(eva.email))).toBe(true)
    expect(await one.signIn(eva.email, PASSWORD)).toMatchObject({ ok: false, reason: 'segundo' })
    for (let guess = 0; guess < 4; guess++) tried.push(await one.pass({ via: 'codigo', text: wrongCode(text) }))
    vi.setSystemTime(Date.now() + 1)
  }
  expect(tried.map((one) => !one.ok && one.reason)).toEqual([
    ...Array(5).fill('credenciales'),
    ...Array(3).fill('espera'),
  ])
  await site.database.pool.query('truncate intentos')
  const own = browser()
  expect(await open(own, await linkTo(eva.email))).toBe(true)
  expect(await own.signIn(eva.email, PASSWORD)).toMatchObject({ reason: 'segundo' })
  expect(await own.pass({ via: 'codigo', text: await codeOf(secret) })).toMatchObject({ ok: true })
})

test('a link ends after an hour, with a new password and with the account; an altered link opens nothing', async () => {
  const [eva, ana, note] = [await make(), await make(), await makePerson(db(), 'prensa')]
  const key = await linkTo(eva.email)
  const [id, expiry, mac] = key.split('.') as [string, string, string]
  for (const forged of [
    `${ana.id}.${expiry}.${mac}`,
    `${id}.${Number(expiry) + 1}.${mac}`,
    `${id}.${expiry}.${mac.replace(/^./, (one) => (one === 'A' ? 'B' : 'A'))}`,
    '',
    'x',
  ])
    expect(await accounts.waitBypassLinks.use(forged), forged).toBeUndefined()
  await changePassword(db(), eva.email, 'otra-frase-azul-91', TERMINAL, MAIL_CONTEXT)
  expect(await accounts.waitBypassLinks.use(key)).toBeUndefined()
  const late = await linkTo(ana.email)
  vi.setSystemTime(Date.now() + 61 * 60_000)
  expect(await accounts.waitBypassLinks.use(late)).toBeUndefined()
  const gone = await linkTo(note.email)
  await deactivateAccount(db(), note.email, MAIL_CONTEXT.now, TERMINAL)
  expect(await accounts.waitBypassLinks.use(gone)).toBeUndefined()
  expect(await accounts.requestRecoveryLink('198.51.100.1', note.email, 'paso')).toBe(0)
  expect(await letters(note.email, 'paso')).toHaveLength(1)
})

test('the answer reveals no accounts, a recipient gets few links, and stalled mail is detected', async () => {
  const eva = await make()
  expect(await accounts.requestRecoveryLink('198.51.100.1', 'sin-cuenta@medio.example', 'paso')).toBe(0)
  expect(await letters('sin-cuenta@medio.example', 'paso')).toEqual([])
  const asked = []
  for (let again = 0; again < 6; again++) {
    vi.setSystemTime(Date.now() + 1)
    asked.push(await accounts.requestRecoveryLink(`203.0.113.${again}`, eva.email, again % 2 === 0 ? 'paso' : 'clave'))
  }
  // Both kinds of link share one count.
  expect(asked.filter((wait) => wait === 0)).toHaveLength(3)
  expect(await isMailStalled(db())).toBe(false)
  // A temporary refusal by one recipient's server does not mean that the site's own mail server stalls.
  await site.database.pool.query(`update correos set last_error = '450 RCPT TO'`)
  expect(await isMailStalled(db())).toBe(false)
  // Nor does a mail of a site that was restored without its key.
  await site.database.pool.query(`update correos set last_error = 'unreadable'`)
  expect(await isMailStalled(db())).toBe(false)
  const { settings } = site.services
  const withServer = { db: db(), settings: { ...settings, smtpUrl: 'smtp://localhost' } }
  expect(await readMailAvailability(withServer)).toBe('goes')
  await site.database.pool.query(`update correos set last_error = 'ECONNREFUSED CONN'`)
  expect(await isMailStalled(db())).toBe(true)
  expect(await readMailAvailability(withServer)).toBe('waits')
  expect(await readMailAvailability(site.services)).toBe('none')
})
