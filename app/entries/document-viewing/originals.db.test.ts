import { RouterContextProvider } from 'react-router'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Accounts, createAccounts } from '#app/accounts/auth.server.ts'
import { accountsContext } from '#app/accounts/guards.server.ts'
import { activateAuthenticator, beginAuthenticator, readSecondFactor } from '#app/accounts/second-factor/totp.server.ts'
import { requestContext, type Services, servicesContext } from '#app/core/http/services.server.ts'
import { makePerson, PASSWORD } from '#tests/support/accounts/people.ts'
import { codeOf, secretOf } from '#tests/support/accounts/second-factor.ts'
import { SignInBrowser } from '#tests/support/accounts/sign-in-browser.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { makeFacts, openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { originals } from './originals.early.server.ts'

let site: TestSite
let services: Services
let accounts: Accounts
let path: string

beforeAll(async () => {
  site = await openTestSite()
  services = { ...site.services, settings: { ...site.services.settings, secondFactor: 'required' } }
  accounts = createAccounts(services)
  const id = await seedEntry(services)
  const row = await services.db
    .selectFrom('documentos')
    .select('path')
    .where('inscripcion_id', '=', id)
    .where('clase', '=', 'fotoRostro')
    .executeTakeFirstOrThrow()
  path = `/archivos/registro/${row.path}`
})
afterAll(() => site.close())

const open = async (browser: SignInBrowser): Promise<Response> => {
  const context = new RouterContextProvider()
  context.set(servicesContext, services)
  context.set(requestContext, makeFacts())
  context.set(accountsContext, accounts)
  return (await originals.answer(browser.request(path), context))!
}
const openings = async () =>
  (await services.db.selectFrom('bitacora').select('quien').where('que', '=', 'documento.original').execute()).map(
    ({ quien }) => quien,
  )
async function enter(role: 'admin' | 'revision') {
  const person = await makePerson(services.db, role)
  const browser = new SignInBrowser(accounts, '192.0.2.7')
  expect(await browser.signIn(person.email, PASSWORD)).toMatchObject({ ok: true })
  return { ...person, browser }
}

test('an original opens to an admin with the second factor that the site requires and a recent password, and is logged', async () => {
  const reviewer = await enter('revision')
  expect((await open(reviewer.browser)).status).toBe(403)
  const eva = await enter('admin')
  const refused = await open(eva.browser)
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('segundo paso')])
  expect(await openings()).toEqual([])
  await beginAuthenticator(services, eva.id)
  const person = { userId: eva.id, email: eva.email, isRecentlyAuthenticated: true }
  const secret = secretOf((await readSecondFactor(services, person, 'Certamen')).shownSecret!.key)
  expect(await activateAuthenticator(services, eva.id, await codeOf(secret), eva.actor)).toMatchObject({ ok: true })
  const opened = await open(eva.browser)
  expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  expect(await openings()).toEqual([eva.id])
  await site.database.pool.query(`update sessions set confirmada_at = now() - interval '11 minutes'`)
  expect((await open(eva.browser)).status).toBe(401)
  expect(await openings()).toEqual([eva.id])
})
