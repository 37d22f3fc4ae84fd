import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAccounts } from '#app/accounts/auth.server.ts'
import { findPasswordLink, setPasswordByLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { decryptMail, SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { resendPasswordLink } from './another-link.server.ts'
import { accreditJournalist, createAccount, deactivateAccount } from './mutations.server.ts'
import { inviteOrganiser } from './organisers.server.ts'

const PASSWORD = 'guayaba-29-trenza'
const NOW = new Date('2025-08-01T12:00:00-06:00')
const MAIL_CONTEXT = { sender: SENDER, now: NOW }
const DAY_MS = 24 * 60 * 60_000

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

let people = 0
const freshAddress = () => `redaccion${++people}@medio.example`
const db = () => site.services.db
const accredit = (email: string, change: { validUntil?: Date; now?: Date; outlet?: string } = {}) =>
  accreditJournalist(db(), { email, outlet: change.outlet ?? 'El Eco', validUntil: change.validUntil }, TERMINAL, {
    ...MAIL_CONTEXT,
    now: change.now ?? NOW,
  })
const messages = (email: string) =>
  db().selectFrom('correos').selectAll().where('recipient', '=', email).orderBy('id').execute()
/** The key of the link in the newest message. */
const linkOf = async (email: string) => {
  const [, key] = /\/medios\/clave\?llave=([\w-]+)/.exec(decryptMail((await messages(email)).at(-1)!).text)!
  return key!
}
const setPassword = (key: string, password = PASSWORD, now = NOW) =>
  setPasswordByLink(db(), key, password, 'rastro', { ...MAIL_CONTEXT, now })
const signIn = (email: string, password = PASSWORD) =>
  createAccounts({ ...site.services, clock: { now: () => NOW } }).signInPassword(
    new Request('https://feria.example/medios'),
    `192.0.2.${++people}`,
    email,
    password,
  )

test('an accredited journalist sets the password by the mailed link and signs in with it; the link serves once', async () => {
  const email = freshAddress()
  expect(await accredit(email.toUpperCase())).toEqual({
    ok: true,
    link: expect.stringContaining('/medios/clave?llave='),
  })
  const [message] = await messages(email)
  expect(message!.kind).toBe('acreditacion')
  expect(decryptMail(message!).subject).toContain('acreditación de prensa')
  expect(await signIn(email)).toMatchObject({ ok: false })
  const key = await linkOf(email)
  expect(await findPasswordLink(db(), key, NOW)).toEqual({ email, role: 'prensa', outlet: 'El Eco' })
  expect(await setPassword(key, 'corta')).toEqual({ ok: false, reason: 'tooShort' })
  const both = await Promise.all([setPassword(key), setPassword(key, 'otra-frase-azul-91')])
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
  expect(await signIn(email, both[0]!.ok ? PASSWORD : 'otra-frase-azul-91')).toMatchObject({
    ok: true,
    session: { role: 'prensa' },
  })
  expect(await setPassword(key)).toEqual({ ok: false, reason: 'invalidLink' })
  expect((await messages(email)).at(-1)).toMatchObject({ kind: 'clave' })
})

test('a link that is forged, too old, replaced by a newer link or of a withdrawn account is void', async () => {
  const email = freshAddress()
  await accredit(email)
  const first = await linkOf(email)
  await accredit(email)
  const second = await linkOf(email)
  for (const key of ['', 'inventada', first])
    expect(await setPassword(key)).toEqual({ ok: false, reason: 'invalidLink' })
  expect(await setPassword(second, PASSWORD, new Date(NOW.getTime() + 7 * DAY_MS + 1))).toEqual({
    ok: false,
    reason: 'invalidLink',
  })
  await deactivateAccount(db(), email, NOW, TERMINAL)
  expect(await setPassword(second)).toEqual({ ok: false, reason: 'invalidLink' })
  // A second accreditation sends another link.
  expect(await accredit(email)).toEqual({ ok: true, link: expect.stringContaining('/medios/clave?llave=') })
  expect(await setPassword(await linkOf(email))).toMatchObject({ ok: true, role: 'prensa' })
})

test('a journalist with a password is told of a changed accreditation, and gets no link to set another password', async () => {
  const email = freshAddress()
  await accredit(email)
  await setPassword(await linkOf(email))
  const before = (await messages(email)).length
  const validUntil = new Date('2025-10-05T23:59:59.999-06:00')
  expect(await accredit(email, { outlet: 'El Eco de la Feria', validUntil })).toEqual({
    ok: true,
    link: undefined,
  })
  const [message, ...more] = (await messages(email)).slice(before)
  expect(more).toEqual([])
  expect(message).toMatchObject({ kind: 'vigencia' })
  expect(decryptMail(message!).text).toMatch(/El Eco de la Feria.*5 de octubre de 2025/s)
  expect(decryptMail(message!).text).not.toContain('llave=')
  expect(
    await db()
      .selectFrom('enlaces')
      .innerJoin('profiles', 'profiles.id', 'user_id')
      .select('email')
      .where('email', '=', email)
      .execute(),
  ).toEqual([])
  expect(await signIn(email)).toMatchObject({ ok: true })
})

test('a link that is used while its account is withdrawn is void, without a deadlock', async () => {
  const email = freshAddress()
  await accredit(email)
  const key = await linkOf(email)
  // Like a withdrawal, this transaction locks the account first, and then deletes its links.
  const client = await site.database.pool.connect()
  await client.query('begin')
  await client.query('update profiles set baja_at = $2 where email = $1', [email, NOW])
  const used = setPassword(key)
  await vi.waitFor(async () => {
    const { rows } = await site.database.pool.query(`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    expect(rows).toHaveLength(1)
  }, SOON)
  await client.query('delete from enlaces e using profiles p where p.id = e.user_id and p.email = $1', [email])
  await client.query('commit')
  client.release()
  expect(await used).toEqual({ ok: false, reason: 'invalidLink' })
})
const SOON = { timeout: 30_000, interval: 20 }

test('an accreditation ends by itself; a last day in the past is refused', async () => {
  const email = freshAddress()
  expect(await accredit(email, { validUntil: NOW })).toEqual({ ok: false, reason: 'pastDate' })
  await accredit(email, { validUntil: new Date(NOW.getTime() + DAY_MS) })
  await setPassword(await linkOf(email))
  expect(await signIn(email)).toMatchObject({ ok: true })
  await db().updateTable('profiles').set({ vigente_hasta: NOW }).where('email', '=', email).execute()
  expect(await signIn(email)).toMatchObject({ ok: false })
})

test('an organiser cannot be accredited, a voter can; an invalid address or outlet is refused as such', async () => {
  const admin = freshAddress()
  await createAccount(db(), { email: admin, role: 'admin', password: PASSWORD }, TERMINAL)
  expect(await accredit(admin)).toEqual({ ok: false, reason: 'alreadyUsed' })
  expect(await messages(admin)).toEqual([])
  const voter = freshAddress()
  await db().insertInto('profiles').values({ id: 'votante', name: '', email: voter, role: null }).execute()
  expect(await accredit(voter)).toEqual({ ok: true, link: expect.stringContaining('/medios/clave?llave=') })
  expect(await accredit('a\r\nbcc: b@c.example')).toEqual({ ok: false, reason: 'address' })
  for (const outlet of ['', '   ', 'x'.repeat(121)])
    expect(await accredit(freshAddress(), { outlet })).toEqual({ ok: false, reason: 'outlet' })
})

test('a link to a new password is shown to the panel, but never that of an admin', async () => {
  for (const role of ['revision', 'admin'] as const) {
    const email = freshAddress()
    await createAccount(db(), { email, role }, TERMINAL)
    const resent = await resendPasswordLink(db(), email, TERMINAL, MAIL_CONTEXT)
    expect(resent).toEqual({
      ok: true,
      link: role === 'admin' ? undefined : expect.stringContaining(await linkOf(email)),
    })
  }
})

test('an organiser is invited the same way, but not in a journalist’s place; another link makes the first void', async () => {
  const email = freshAddress()
  expect(await inviteOrganiser(db(), { email, role: 'admin' }, TERMINAL, MAIL_CONTEXT)).toEqual({
    ok: true,
    link: expect.stringContaining('/medios/clave?llave='),
  })
  expect((await messages(email)).at(-1)).toMatchObject({ kind: 'invitacion' })
  const first = await linkOf(email)
  const resent = await resendPasswordLink(db(), email, TERMINAL, MAIL_CONTEXT)
  // The link that the panel shows is the mailed one.
  expect(resent).toMatchObject({ ok: true, link: expect.stringContaining(await linkOf(email)) })
  expect(await setPassword(first)).toEqual({ ok: false, reason: 'invalidLink' })
  expect(await setPassword(await linkOf(email))).toMatchObject({ ok: true, role: 'admin' })
  expect(await inviteOrganiser(db(), { email, role: 'admin' }, TERMINAL, MAIL_CONTEXT)).toEqual({
    ok: false,
    reason: 'alreadyUsed',
  })
  const press = freshAddress()
  await accredit(press)
  expect(await inviteOrganiser(db(), { email: press, role: 'admin' }, TERMINAL, MAIL_CONTEXT)).toEqual({
    ok: false,
    reason: 'alreadyUsed',
  })
  expect(await resendPasswordLink(db(), 'nadie@medio.example', TERMINAL, MAIL_CONTEXT)).toEqual({
    ok: false,
    reason: 'unknown',
  })
})
