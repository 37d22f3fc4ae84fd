import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { passwordChangedLetter } from '#app/accounts/mails.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { changeSetting } from '#app/cms/edition-settings/mutations.server.ts'
import { readMailUsage } from '#app/mail/data.server.ts'
import { queueMail } from '#app/mail/mutations.server.ts'
import { SignInBrowser } from '#tests/support/accounts/sign-in-browser.ts'
import { decryptMail, SENDER } from '#tests/support/mail/decrypted-mail.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'

let site: TestSite
let accounts: Accounts
const db = () => site.services.db
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  await emptyTables(site.database.pool, 'intentos', 'codigos_por_minuto', 'correos', 'ajustes')
  accounts = createAccounts(site.services)
})

let people = 0
const someone = (domain = 'correo.example') => `votante${++people}@${domain}`
/** Asks for a code with work that costs nothing, as an attacker with unlimited machines would. */
async function ask(client: string, email = someone()) {
  const one = new SignInBrowser(accounts, client)
  return { one, email, answer: await one.ask(email, await one.known()) }
}
async function enter({ one, email }: { one: SignInBrowser; email: string }) {
  const row = await db().selectFrom('correos').selectAll().where('recipient', '=', email).executeTakeFirstOrThrow()
  expect(await one.enter(email, decryptMail(row).subject.slice(0, 6))).toMatchObject({ ok: true })
}
const reasons = (asked: { answer: { ok: boolean; reason?: string } }[]) => {
  const said: Record<string, number> = {}
  for (const { answer } of asked) said[answer.reason ?? 'ok'] = (said[answer.reason ?? 'ok'] ?? 0) + 1
  return said
}

test('a flood of codes to strangers stops at the open codes of its neighbourhood, however much work it does', async () => {
  const flood = await Promise.all(Array.from({ length: 60 }, () => ask('203.0.113.5')))
  // The tenant of a server may have the other addresses of its /24, too.
  const more = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(`203.0.113.${at + 100}`)))
  expect(reasons([...flood, ...more])).toEqual({ ok: 50, 'red-llena': 70 })
  const six = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(`2001:db8:7:${at.toString(16)}::/64`)))
  expect(reasons(six)).toEqual({ ok: 50, 'red-llena': 10 })
  expect((await ask('198.51.100.5')).answer).toEqual({ ok: true })
  // Each used code makes room again.
  for (const one of flood.filter(({ answer }) => answer.ok).slice(0, 3)) await enter(one)
  const again = await Promise.all(Array.from({ length: 20 }, () => ask('203.0.113.5')))
  expect(reasons(again)).toEqual({ ok: 3 + 2 * 3, 'red-llena': 11 })
})

test('customers of a telephone company behind few addresses all get their codes: the room grows as codes are used', async () => {
  let waiting = Array.from({ length: 400 }, () => someone())
  let rounds = 0
  while (waiting.length > 0 && ++rounds < 10) {
    const asked = await Promise.all(waiting.map((email, at) => ask(`198.51.100.${at % 8}`, email)))
    const sent = asked.filter(({ answer }) => answer.ok)
    for (const one of sent) await enter(one)
    waiting = asked.filter(({ answer }) => !answer.ok).map(({ email }) => email)
  }
  expect(rounds).toBeLessThanOrEqual(3)
}, 60_000)

test('codes for strangers take a part of the day’s mail, codes together a larger one, and the rest goes on', async () => {
  await changeSetting(db(), 2025, { name: 'correo.cuota', value: 100, version: 0 }, TERMINAL, new Date())
  const first = await ask('198.51.100.1')
  await enter(first)
  // A stranger asks from many neighbourhoods, for mailboxes of a domain that has used no code.
  const strangers = []
  for (let at = 0; at < 60; at++) strangers.push(await ask(`203.0.${at}.9`, someone('ajena.example')))
  expect(reasons(strangers)).toEqual({ ok: 34, cuota: 26 })
  // Used codes of the mail domain alone do not help, nor do used codes of the network alone.
  expect((await ask('203.0.99.9')).answer).toMatchObject({ reason: 'cuota', retrySeconds: 3_600 })
  expect((await ask('198.51.100.2', someone('ajena.example'))).answer).toMatchObject({ reason: 'cuota' })
  const town = []
  for (let at = 0; at < 40; at++) {
    const one = await ask('198.51.100.3')
    town.push(one)
    if (one.answer.ok && at % 2 === 0) await enter(one)
  }
  expect(reasons(town)).toEqual({ ok: 35, cuota: 5 })
  // Messages about accounts and receipts keep their own share of the quota.
  const letter = { ...passwordChangedLetter(new Date(), '/medios'), to: 'eva@comite.example', sender: SENDER }
  expect(await queueMail(db(), { ...letter, idempotencyKey: 'clave:1' })).toMatchObject({ ok: true })
  expect(await readMailUsage(db())).toEqual({ codes: 70, unprovenCodes: 35, receipts: 0, others: 1 })
  // A day later there is room again.
  await sql`update correos set created_at = created_at - interval '24 hours'`.execute(db())
  expect((await ask('203.0.77.9', someone('ajena.example'))).answer).toEqual({ ok: true })
})
