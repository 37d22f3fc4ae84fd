import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { createAccounts, type SignInResult } from '#app/accounts/auth.server.ts'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import type { Role } from '#app/accounts/schema.ts'
import type { SecondFactorRequired } from '#app/accounts/sign-in/attempt.server.ts'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { createKeyDeriver, readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { SignInBrowser } from '../support/accounts/sign-in-browser.ts'
import { decryptMail } from '../support/mail/decrypted-mail.ts'
import type { Site } from './site.ts'

export const PASSWORD = 'guayaba-29-trenza'
let people = 0

/** Runs `work` with services over the site's database and storage, as another process has them. */
export async function servicesOn<Result>(site: Site, work: (services: Services) => Promise<Result>): Promise<Result> {
  const host = join(site.dataDir, 'postgres.sockets')
  const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, 2)
  try {
    const settings = readSettings({ DATA_DIR: site.dataDir, PUBLIC_URL: site.url })
    return await work({
      settings,
      clock: createClock(settings.siteClock),
      db: openDatabase(pool),
      storage: await openFolderStorage(site.dataDir),
      log: createLog('silent'),
      keyed: createKeyDeriver(await readOrCreateSecret(site.dataDir)),
    })
  } finally {
    await pool.end()
  }
}

/** Creates an account of this role and signs in. @returns the session's cookie */
export const signedIn = (site: Site, role: Role): Promise<{ correo: string; name: string; value: string }> =>
  servicesOn(site, async (services) => {
    const accounts = createAccounts(services)
    const email = `${role}${++people}.${process.pid}@medio.example`
    await createAccount(services.db, { email, role, password: PASSWORD }, TERMINAL)
    const signInResult = await accounts.signInPassword(new Request(site.url), `prueba-${people}`, email, PASSWORD)
    return { correo: email, ...cookieIn(signInResult) }
  })

function cookieIn(signInResult: SignInResult | SecondFactorRequired): { name: string; value: string } {
  if (!signInResult.ok) throw new Error(signInResult.reason)
  const [pair] = signInResult.headers.getSetCookie()[0]!.split(';')
  const at = pair!.indexOf('=')
  return { name: pair!.slice(0, at), value: pair!.slice(at + 1) }
}

/** Signs a new account of this role in, in this browser. */
export async function signIn(context: BrowserContext, site: Site, role: Role): Promise<void> {
  const { name, value } = await signedIn(site, role)
  await context.addCookies([{ name, value, url: site.url }])
}

/** Signs a new voter in by a code. @returns the cookie, as the header's value */
export const newVoterCookie = async (
  site: Site,
  email = `votante${++people}.${process.pid}@correo.example`,
): Promise<string> => {
  const { name, value } = await servicesOn(site, async (services) => {
    const browser = new SignInBrowser(createAccounts(services), `prueba-${email}`, site.url)
    await browser.ask(email, await browser.known(services.keyed))
    const row = await services.db
      .selectFrom('correos')
      .selectAll()
      .where('recipient', '=', email)
      .executeTakeFirstOrThrow()
    return cookieIn(await browser.enter(email, decryptMail(row, services.keyed).subject.slice(0, 6)))
  })
  return `${name}=${value}`
}

/** Signs a new voter in, in this browser. @returns the cookie, as the header's value */
export async function signInVoter(context: BrowserContext, site: Site, email?: string): Promise<string> {
  const cookie = await newVoterCookie(site, email)
  const [name, value] = cookie.split(/=(.*)/s) as [string, string]
  await context.addCookies([{ name, value, url: site.url }])
  return cookie
}
