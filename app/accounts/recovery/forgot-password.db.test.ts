import { RouterContextProvider } from 'react-router'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccounts } from '#app/accounts/auth.server.ts'
import { accountsContext } from '#app/accounts/guards.server.ts'
import { requestContext, servicesContext } from '#app/core/http/services.server.ts'
import { makePerson } from '#tests/support/accounts/people.ts'
import { makeFacts, openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { action } from './forgot-password.page.tsx'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

async function ask(email: string) {
  const context = new RouterContextProvider()
  context.set(servicesContext, site.services)
  context.set(requestContext, makeFacts())
  context.set(accountsContext, createAccounts(site.services))
  const body = new URLSearchParams({ correo: email })
  const url = new URL('https://feria.example/medios/recuperar')
  const request = new Request(url, { method: 'POST', body })
  const startMs = performance.now()
  const answer = await action({ request, context, url, params: {}, pattern: '/medios/recuperar' })
  return { answer, ms: performance.now() - startMs }
}

test('neither the answer nor its time tells whether there is an account', async () => {
  const { email } = await makePerson(site.services.db)
  const [known, unknown] = [await ask(email), await ask('nadie@medio.example')]
  expect(known.answer.data).toMatchObject({ sentPurpose: 'clave', outlook: 'none' })
  expect({ ...unknown.answer.data, email }).toEqual(known.answer.data)
  // The time without the wait is a few milliseconds, and longer for an account, whose mail is queued.
  for (const { ms } of [known, unknown]) expect(ms).toBeGreaterThan(590)
  expect(await site.services.db.selectFrom('correos').select('recipient').execute()).toEqual([{ recipient: email }])
})
