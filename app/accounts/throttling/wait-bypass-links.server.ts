import { PASSWORD_RESET_MINUTES } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { type Cookies, fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { createKnownDevices } from './known-devices.server.ts'
import { spendWork } from './spent-work.server.ts'

const LINK_PATTERN = /^([\w-]{1,40})\.(\d{13})\.([\w-]{43})$/

/** A valid link with its account. */
interface WaitBypassLink {
  userId: string
  email: string
  role: Role
  /** Fingerprint under which a used link is stored. */
  fingerprint: string
  expiresAt: Date
}

/**
 * Makes and checks links that let a browser past the waits that wrong passwords have caused for an account. The browser then counts
 * as a known device for some time; the password, and a second factor if the account has one, are still required. A link is signed,
 * and stored only once it was used; a new password makes it void.
 */
export function createWaitBypassLinks(
  { db, keyed, clock }: Pick<Services, 'db' | 'keyed' | 'clock'>,
  cookies: Cookies,
) {
  const key = keyed('pasos')
  const devices = createKnownDevices({ db, keyed }, cookies)
  const sign = (userId: string, expiry: string, passwordHash: string) =>
    fingerprintOf(key, userId, expiry, passwordHash).toString('base64url')

  async function verify(secret: string): Promise<WaitBypassLink | undefined> {
    const linkParts = LINK_PATTERN.exec(secret)
    if (!linkParts) return undefined
    const [, userId, expiry, mac] = linkParts as unknown as [string, string, string, string]
    if (Number(expiry) < Date.now()) return undefined
    const account = await readAccount(db, userId, clock.now())
    if (!account?.password || !isSameText(mac, sign(userId, expiry, account.password))) return undefined
    return { userId, email: account.email, role: account.role!, fingerprint: mac, expiresAt: new Date(Number(expiry)) }
  }

  return {
    /** Returns the secret part of a link, whose signature covers the hash of the account's password. */
    createSecret(userId: string, passwordHash: string): string {
      const expiry = String(Date.now() + PASSWORD_RESET_MINUTES * MINUTE_MS)
      return `${userId}.${expiry}.${sign(userId, expiry, passwordHash)}`
    },

    /** Returns a valid and unused link with its account; undefined for any other text. */
    async find(secret: string): Promise<WaitBypassLink | undefined> {
      const bypassLink = await verify(secret)
      const spentRow =
        bypassLink &&
        (await db
          .selectFrom('trabajos')
          .select('huella')
          .where('huella', '=', bypassLink.fingerprint)
          .executeTakeFirst())
      return spentRow ? undefined : bypassLink
    },

    /**
     * Uses a link up.
     * @returns the account's role, and the cookie that makes the browser a known device; undefined for an invalid or used link
     */
    async use(secret: string): Promise<{ role: Role; cookie: string } | undefined> {
      const bypassLink = await verify(secret)
      // Of two concurrent requests, one spends the link.
      if (!bypassLink || (await spendWork(db, [bypassLink])).size === 0) return undefined
      const cookie = await devices.cookieForWaitBypass(bypassLink.userId)
      return cookie === undefined ? undefined : { role: bypassLink.role, cookie }
    },

    /**
     * Returns the cookie that makes the browser a known device, after a password was set by a mailed link, which proves that the
     * mailbox is the owner's; undefined if the account has no password.
     */
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
