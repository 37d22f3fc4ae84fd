import { randomBytes } from 'node:crypto'
import { type Cookies, fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

/** A browser is a known device for this long after its last sign-in. */
const KNOWN_DEVICE_SECONDS = 180 * 24 * 60 * 60
/** A browser that a mailed link has let past the waits must sign in within this time. */
const WAIT_BYPASS_SECONDS = 30 * 60
const COOKIE_PATTERN = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/

/**
 * Recognises browsers that have signed in to an account before, or that a mailed link lets past its waits, by a signed cookie for
 * each account. The cookie grants no access, but the browser's attempts are counted apart from those of unknown browsers. The
 * signature covers the hash of the password, so that a new password makes every device unknown.
 */
export function createKnownDevices({ db, keyed }: Pick<Services, 'db' | 'keyed'>, cookies: Cookies) {
  const key = keyed('equipos')
  const cookieNameOf = (userId: string) => `equipo-${fingerprintOf(key, userId).toString('hex').slice(0, 8)}`
  const sign = (userId: string, deviceId: string, issuedAtSeconds: number, passwordHash: string) =>
    fingerprintOf(key, userId, deviceId, String(issuedAtSeconds), passwordHash).toString('base64url')
  /** Returns the device id that all wait-bypass links of an account share, so that further links allow no further attempts. */
  const waitBypassDeviceIdOf = (userId: string) => fingerprintOf(key, 'paso', userId).toString('base64url').slice(0, 22)
  const nowSeconds = () => Math.floor(Date.now() / 1_000)

  async function findPasswordAccount(column: 'id' | 'email', value: string) {
    const row = await db
      .selectFrom('profiles')
      .innerJoin('accounts', 'accounts.user_id', 'profiles.id')
      .select(['profiles.id', 'accounts.password'])
      .where(`profiles.${column}`, '=', value)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst()
    return row?.password ? { userId: row.id, passwordHash: row.password } : undefined
  }

  async function createCookie(userId: string, deviceId: string, seconds: number): Promise<string | undefined> {
    const account = await findPasswordAccount('id', userId)
    if (!account) return undefined
    const issuedAtSeconds = nowSeconds()
    const mac = sign(userId, deviceId, issuedAtSeconds, account.passwordHash)
    return cookies.toSetCookieHeader(cookieNameOf(userId), `${deviceId}.${issuedAtSeconds}.${mac}`, seconds)
  }

  return {
    /**
     * Returns the device id of a browser that has signed in to the account since its password was set, or that a link lets past the
     * waits; undefined for other browsers, and after the cookie's time.
     */
    async find(request: Request, email: string): Promise<string | undefined> {
      if (!request.headers.get('cookie')?.includes(cookies.nameOf('equipo-'))) return undefined
      const account = await findPasswordAccount('email', email)
      const cookieParts = account && COOKIE_PATTERN.exec(cookies.read(request, cookieNameOf(account.userId)) ?? '')
      if (!cookieParts) return undefined
      const [, deviceId, issuedAtText, mac] = cookieParts as unknown as [string, string, string, string]
      const issuedAtSeconds = Number(issuedAtText)
      const lifetimeSeconds =
        deviceId === waitBypassDeviceIdOf(account.userId) ? WAIT_BYPASS_SECONDS : KNOWN_DEVICE_SECONDS
      if (nowSeconds() - issuedAtSeconds > lifetimeSeconds) return undefined
      return isSameText(mac, sign(account.userId, deviceId, issuedAtSeconds, account.passwordHash))
        ? deviceId
        : undefined
    },

    /**
     * Returns the cookie for a browser that has just signed in, with its device id or, without one of its own, a new one; undefined
     * if the account has no password.
     */
    cookieAfterSignIn: (userId: string, knownDeviceId?: string): Promise<string | undefined> =>
      createCookie(
        userId,
        knownDeviceId === undefined || knownDeviceId === waitBypassDeviceIdOf(userId)
          ? randomBytes(16).toString('base64url')
          : knownDeviceId,
        KNOWN_DEVICE_SECONDS,
      ),

    /**
     * Returns the cookie for a browser that a mailed link, for a wait bypass or a password, lets past the waits of an account;
     * undefined if the account has no password.
     */
    cookieForWaitBypass: (userId: string): Promise<string | undefined> =>
      createCookie(userId, waitBypassDeviceIdOf(userId), WAIT_BYPASS_SECONDS),
  }
}
