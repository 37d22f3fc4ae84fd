import { PASSWORD_RESET_MINUTES } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { type Cookies, fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKnownDevices } from './known-devices.server.ts'
import { spendWork } from './spent-work.server.ts'

const LINK_PATTERN = /^([\w-]{1,40})\.(\d{13})\.([\w-]{43})$/

/** A valid link names its account, and has a fingerprint by which it is spent. */
interface WaitBypassLink {
  userId: string
  email: string
  role: Role
  fingerprint: string
  expiresAt: Date
}

/**
 * Makes and checks links that let a browser past the waits that other people's wrong passwords have brought on an account.
 * The browser then counts as a known device; the password, and a second factor if the account has one, are still required.
 * A link is signed, and stored only once it has served; a new password makes the link void.
 */
export function createWaitBypassLinks(
  { db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>,
  cookies: Cookies,
) {
  const key = keyed('pasos')
  const devices = createKnownDevices({ db, keyed }, cookies)
  const sign = (userId: string, expiry: string, password: string) =>
    fingerprintOf(key, userId, expiry, password).toString('base64url')

  async function read(key: string): Promise<WaitBypassLink | undefined> {
    const linkParts = LINK_PATTERN.exec(key)
    if (!linkParts) return undefined
    const [, userId, expiry, mac] = linkParts as unknown as [string, string, string, string]
    if (Number(expiry) < Date.now()) return undefined
    const account = await readAccount(db, userId, clock.now())
    if (!account?.password || !isSameText(mac, sign(userId, expiry, account.password))) return undefined
    return { userId, email: account.email, role: account.role!, fingerprint: mac, expiresAt: new Date(Number(expiry)) }
  }

  return {
    /** Makes the secret part of a link. @param password the hash of the account's password, which the signature covers */
    make(userId: string, password: string): string {
      const expiry = String(Date.now() + PASSWORD_RESET_MINUTES * 60_000)
      return `${userId}.${expiry}.${sign(userId, expiry, password)}`
    },

    /** Returns a link that is valid and unused, with its account, or undefined. */
    async find(key: string): Promise<WaitBypassLink | undefined> {
      const bypassLink = await read(key)
      const spentRow =
        bypassLink &&
        (await db
          .selectFrom('trabajos')
          .select('huella')
          .where('huella', '=', bypassLink.fingerprint)
          .executeTakeFirst())
      return spentRow ? undefined : bypassLink
    },

    /** Uses a link up. @returns the account's role, and the cookie that makes the browser a known device */
    async use(key: string): Promise<{ role: Role; cookie: string } | undefined> {
      const bypassLink = await read(key)
      // Of two simultaneous requests, one spends the link.
      if (!bypassLink || (await spendWork(db, [bypassLink])).size === 0) return undefined
      const cookie = await devices.cookieForWaitBypass(bypassLink.userId)
      return cookie === undefined ? undefined : { role: bypassLink.role, cookie }
    },

    /** Returns the same cookie after a password was set by a mailed link, which proves the mailbox as well. */
    cookieFor: devices.cookieForWaitBypass,
  }
}

export type WaitBypassLinks = ReturnType<typeof createWaitBypassLinks>

/** Reads an account that can sign in by password now. */
const readAccount = (db: Database, userId: string, now: Date) =>
  db
    .selectFrom('profiles')
    .innerJoin('accounts', 'accounts.user_id', 'profiles.id')
    .select(['email', 'role', 'accounts.password'])
    .where('profiles.id', '=', userId)
    .where('provider_id', '=', 'credential')
    .where('role', 'is not', null)
    .where('role', '<>', 'jurado')
    .where('baja_at', 'is', null)
    .where((eb) => eb.or([eb('vigente_hasta', 'is', null), eb('vigente_hasta', '>', now)]))
    .executeTakeFirst()
