import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { setPasswordByLink } from '#app/accounts/passwords/mailed-links.server.ts'
import type { Role } from '#app/accounts/schema.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { makePerson, PASSWORD } from '#tests/support/accounts/people.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { sendChangeAlerts } from './change-alerts.server.ts'
import {
  applyDeactivations,
  cancelDeactivation,
  listDeactivations,
  requestDeactivation,
} from './deactivations.server.ts'
import { confirmEmailChange, findEmailChange, requestEmailChange } from './email-change.server.ts'
import { changeEmail, changePassword, createFirstAdmin, deactivateAccount } from './mutations.server.ts'

const ANOTHER_PASSWORD = 'otra-frase-azul-91'
const HOUR_MS = 3_600_000
let site: TestSite
let accounts: Accounts
let now = new Date('2025-08-01T12:00:00-06:00')
const services = () => ({ ...site.services, clock: { now: () => now } })
const db = () => site.services.db

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  now = new Date('2025-08-01T12:00:00-06:00')
  accounts = createAccounts(services())
  await emptyTables(site.database.pool, 'profiles', 'correos', 'bajas')
})

let people = 0
const make = (role?: Role) => makePerson(db(), role)
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36'
const request = (cookie = '') =>
  new Request('https://feria.example/organizadores', { headers: { cookie, 'user-agent': ANDROID } })
async function enter(email: string, password = PASSWORD) {
  const signInResult = await accounts.signInPassword(request(), `192.0.2.${++people % 250}`, email, password)
  if (!signInResult.ok) throw new Error(signInResult.reason)
  const cookie = signInResult.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return request(cookie)
}
const letters = async (email: string) =>
  (await db().selectFrom('correos').selectAll().where('recipient', '=', email).orderBy('id').execute()).map((row) => ({
    kind: row.kind,
    ...decryptMail(row, site.services.keyed),
  }))

test('an organiser is withdrawn a day after the request: all organisers are told, and any other can stop it', async () => {
  const [eva, ana, lupe] = [await make(), await make(), await make()]
  const open = await enter(ana.email)
  const asked = await requestDeactivation(db(), ana.email, now, eva.actor)
  expect(asked).toEqual({ ok: true, effectiveAt: new Date(now.getTime() + 24 * HOUR_MS) })
  expect(await requestDeactivation(db(), ana.email, now, eva.actor)).toEqual({ ok: false, reason: 'alreadyRequested' })
  now = new Date(now.getTime() + 23 * HOUR_MS)
  await applyDeactivations(services())
  expect(await listDeactivations(db())).toEqual([expect.objectContaining({ email: ana.email, requestedBy: eva.email })])
  await sendChangeAlerts(site.services)
  for (const { email } of [eva, ana, lupe]) {
    const told = (await letters(email)).filter(({ text }) => text.includes('Pidió dar de baja'))
    expect(told).toHaveLength(1)
    expect(told[0]!.text).toContain(ana.email)
    expect(told[0]!.text).toContain(eva.email)
  }
  expect(await cancelDeactivation(db(), ana.email, lupe.actor)).toEqual({ ok: true })
  expect(await cancelDeactivation(db(), ana.email, lupe.actor)).toEqual({ ok: false, reason: 'unknown' })
  now = new Date(now.getTime() + 2 * HOUR_MS)
  await applyDeactivations(services())
  expect(await accounts.signInPassword(request(), '192.0.2.9', ana.email, PASSWORD)).toMatchObject({ ok: true })
  expect(open).toBeDefined()
})

test('a withdrawal that is not stopped takes effect once, and never on the last organiser', async () => {
  const [eva, ana] = [await make(), await make()]
  await requestDeactivation(db(), ana.email, now, eva.actor)
  await requestDeactivation(db(), eva.email, now, ana.actor)
  now = new Date(now.getTime() + 25 * HOUR_MS)
  await Promise.all([applyDeactivations(services()), applyDeactivations(services())])
  const left = await db().selectFrom('profiles').select('email').where('baja_at', 'is', null).execute()
  expect(left).toHaveLength(1)
  expect(await listDeactivations(db())).toEqual([])
  const accountIds = [eva, ana].map(({ actor }) => actor.quien)
  const lines = await db()
    .selectFrom('bitacora')
    .select('que')
    .where('que', 'like', 'cuenta.baja%')
    .where('cuenta', 'in', accountIds)
    .execute()
  expect(lines.map(({ que }) => que).sort()).toEqual([
    ...['cuenta.baja', 'cuenta.baja.detenida', 'cuenta.baja.pedida', 'cuenta.baja.pedida'],
  ])
})

test.each(['prensa', 'sitio'] as const)('an account with the role %s is withdrawn at once', async (role) => {
  const [eva, other] = [await make(), await make(role)]
  expect(await requestDeactivation(db(), other.email, now, eva.actor)).toEqual({ ok: true, effectiveAt: now })
  expect(await accounts.signInPassword(request(), '192.0.2.9', other.email, PASSWORD)).toMatchObject({ ok: false })
})

test('every change of an account is told to every organiser once, over all processes', async () => {
  const eva = await make()
  const note = await make('prensa')
  await changeEmail(db(), note.email, 'nueva@medio.example', eva.actor)
  await deactivateAccount(db(), 'nueva@medio.example', now, TERMINAL)
  await Promise.all([sendChangeAlerts(site.services), sendChangeAlerts(site.services)])
  await sendChangeAlerts(site.services)
  const told = (await letters(eva.email)).map(({ subject, text }) => `${subject} ${text}`)
  expect(told.filter((one) => one.includes('Cambió el correo de una cuenta'))).toHaveLength(1)
  expect(told.filter((one) => one.includes('Dio de baja') && one.includes('terminal'))).toHaveLength(1)
  expect(told.filter((one) => one.includes('Creó una cuenta de prensa'))).toHaveLength(1)
})

test('a forgotten password: a link for an hour, an answer that reveals no accounts, and no flood by a stranger', async () => {
  const eva = await make()
  expect(await accounts.requestRecoveryLink('192.0.2.1', eva.email)).toBe(0)
  expect(await accounts.requestRecoveryLink('192.0.2.1', 'nadie@medio.example')).toBe(0)
  expect(await letters('nadie@medio.example')).toEqual([])
  const [letter] = await letters(eva.email)
  expect(letter!.kind).toBe('recuperacion')
  const key = /llave=([\w-]+)/.exec(letter!.text)![1]!
  const set = (at: Date) =>
    setPasswordByLink(db(), key, ANOTHER_PASSWORD, 'rastro', {
      sender: { siteUrl: 'https://feria.example', key: site.services.keyed('correos') },
      now: at,
    })
  expect(await set(new Date(now.getTime() + HOUR_MS + 1))).toEqual({ ok: false, reason: 'invalidLink' })
  expect(await set(now)).toMatchObject({ ok: true })
  await expect(enter(eva.email)).rejects.toThrow('credenciales')
  await enter(eva.email, ANOTHER_PASSWORD)
  for (let again = 0; again < 5; again++) await accounts.requestRecoveryLink(`198.51.100.${again}`, eva.email)
  expect((await letters(eva.email)).filter(({ kind }) => kind === 'recuperacion').length).toBeLessThanOrEqual(3)
})

test('an organiser sees her sessions by device and time, and ends them', async () => {
  const [eva, ana] = [await make(), await make()]
  const [here, there] = [await enter(eva.email), await enter(eva.email)]
  const hers = await enter(ana.email)
  await enter((await make('prensa')).email)
  const seen = await accounts.listSessions(here, eva.id)
  expect(seen.map(({ deviceName: device, isCurrent }) => [device, isCurrent]).sort()).toEqual([
    ['Chrome en Android', false],
    ['Chrome en Android', true],
  ])
  // An account cannot end the session of another account by its id.
  const [{ id } = { id: '' }] = await accounts.listSessions(hers, ana.id)
  await accounts.endSession(here, eva.id, id)
  expect(await accounts.getSession(hers)).toBeDefined()
  await accounts.endSession(here, eva.id, 'otras')
  expect(await accounts.getSession(there)).toBeUndefined()
  expect(await accounts.getSession(here)).toBeDefined()
})

test('the password counts for ten minutes, and only the session’s own person can say it again', async () => {
  const eva = await make()
  const open = await enter(eva.email)
  const session = (await accounts.getSession(open))!
  expect(session.isRecentlyAuthenticated).toBe(true)
  await site.database.pool.query(`update sessions set confirmada_at = now() - interval '11 minutes'`)
  expect(await accounts.getSession(open)).toMatchObject({ isRecentlyAuthenticated: false })
  expect(await accounts.reauthenticate(open, '192.0.2.1', session, { password: 'no es ésta' })).toEqual({
    ok: false,
    reason: 'password',
  })
  expect(await accounts.getSession(open)).toMatchObject({ isRecentlyAuthenticated: false })
  expect(await accounts.reauthenticate(open, '192.0.2.1', session, { password: PASSWORD })).toEqual({ ok: true })
  expect(await accounts.getSession(open)).toMatchObject({ isRecentlyAuthenticated: true })
  for (let again = 0; again < 5; again++)
    await accounts.reauthenticate(open, '192.0.2.1', session, { password: 'adivina' })
  expect(await accounts.reauthenticate(open, '192.0.2.1', session, { password: PASSWORD })).toMatchObject({
    ok: false,
    reason: 'wait',
  })
})

test('an address is changed by the code mailed to the new address, tried five times at most', async () => {
  const [eva, ana] = [await make(), await make()]
  expect(await requestEmailChange(site.services, eva.id, 'no es correo')).toEqual({ ok: false, reason: 'address' })
  await requestEmailChange(site.services, eva.id, 'eva@nuevo.example')
  const code = /\d{6}/.exec((await letters('eva@nuevo.example'))[0]!.subject)![0]
  const session = { userId: eva.id, email: eva.email }
  const wrong = code === '000000' ? '111111' : '000000'
  // Another account cannot use the code.
  expect(await confirmEmailChange(site.services, { userId: ana.id, email: ana.email }, code, ana.actor)).toEqual({
    ok: false,
    reason: 'wrongCode',
  })
  for (let again = 0; again < 4; again++)
    expect(await confirmEmailChange(site.services, session, wrong, eva.actor)).toEqual({
      ok: false,
      reason: 'wrongCode',
    })
  const both = await Promise.all([1, 2].map(() => confirmEmailChange(site.services, session, code, eva.actor)))
  expect(both.filter(({ ok }) => ok)).toEqual([{ ok: true, email: 'eva@nuevo.example' }])
  await enter('eva@nuevo.example')
  await expect(enter(eva.email)).rejects.toThrow('credenciales')
  expect(await changeEmail(db(), ana.email, 'eva@nuevo.example', TERMINAL)).toEqual({
    ok: false,
    reason: 'alreadyUsed',
  })
})

test('after five wrong codes the right one changes no address, until another code is asked for', async () => {
  const eva = await make()
  const session = { userId: eva.id, email: eva.email }
  const ask = async () => {
    await requestEmailChange(site.services, eva.id, 'eva@nuevo.example')
    return /\d{6}/.exec((await letters('eva@nuevo.example')).at(-1)!.subject)![0]
  }
  const code = await ask()
  const wrong = code === '000000' ? '111111' : '000000'
  for (let again = 0; again < 5; again++) await confirmEmailChange(site.services, session, wrong, eva.actor)
  expect(await findEmailChange(site.services, eva.id)).toBeUndefined()
  expect(await confirmEmailChange(site.services, session, code, eva.actor)).toEqual({ ok: false, reason: 'wrongCode' })
  expect(await confirmEmailChange(site.services, session, await ask(), eva.actor)).toMatchObject({ ok: true })
})

test('an open link to set a password is void once the password or the address has changed', async () => {
  const eva = await make()
  const mailContext = { sender: { siteUrl: 'https://feria.example', key: site.services.keyed('correos') }, now }
  const ask = async (email: string) => {
    await accounts.requestRecoveryLink('192.0.2.1', email)
    return /llave=([\w-]+)/.exec((await letters(email)).findLast(({ kind }) => kind === 'recuperacion')!.text)![1]!
  }
  const use = (key: string) => setPasswordByLink(db(), key, 'frase-de-quien-hurta-4', 'rastro', mailContext)
  const before = await ask(eva.email)
  expect(await changePassword(db(), eva.email, ANOTHER_PASSWORD, eva.actor, mailContext)).toMatchObject({ ok: true })
  expect(await use(before)).toEqual({ ok: false, reason: 'invalidLink' })
  const atOldAddress = await ask(eva.email)
  await changeEmail(db(), eva.email, 'eva@nuevo.example', eva.actor)
  expect(await use(atOldAddress)).toEqual({ ok: false, reason: 'invalidLink' })
  await enter('eva@nuevo.example', ANOTHER_PASSWORD)
})

test('the first organiser has the address of the setting', async () => {
  const file = `${site.dataDir}/primera.txt`
  expect(await createFirstAdmin(db(), file, now, 'comite@azahares.example')).toMatchObject({
    email: 'comite@azahares.example',
  })
})
