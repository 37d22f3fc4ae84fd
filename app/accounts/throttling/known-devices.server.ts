import { randomBytes } from 'node:crypto'
import { type Cookies, fingerprintOf, isSameText } from '#app/accounts/sessions/cookies.server.ts'
import type { Services } from '#app/core/http/services.server.ts'

const DAYS = 180
const COOKIE_SECONDS = DAYS * 24 * 60 * 60
/** A browser that a mailed link has let past the waits may take this many seconds to sign in. */
const WAIT_BYPASS_SECONDS = 30 * 60
const COOKIE_PATTERN = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/

/**
 * Recognises browsers that have signed in before, by a signed cookie for every account that the browser has entered. The
 * cookie opens nothing, but the browser's attempts are counted apart from unknown browsers'. The password's hash is part
 * of the signature, so that a new password makes every device unknown.
 */
export function createKnownDevices({ db, keyed }: Pick<Services, 'db' | 'keyed'>, cookies: Cookies) {
  const key = keyed('equipos')
  const nameOf = (userId: string) => `equipo-${fingerprintOf(key, userId).toString('hex').slice(0, 8)}`
  const sign = (userId: string, device: string, at: number, password: string) =>
    fingerprintOf(key, userId, device, String(at), password).toString('base64url')
  /** Returns one device for all browsers that links let past the waits of an account, so that links add no attempts. */
  const waitBypassDeviceOf = (userId: string) => fingerprintOf(key, 'paso', userId).toString('base64url').slice(0, 22)
  const nowSeconds = () => Math.floor(Date.now() / 1_000)

  async function readPassword(by: 'id' | 'email', value: string) {
    const row = await db
      .selectFrom('profiles')
      .innerJoin('accounts', 'accounts.user_id', 'profiles.id')
      .select(['profiles.id', 'accounts.password'])
      .where(`profiles.${by}`, '=', value)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst()
    return row?.password ? { userId: row.id, password: row.password } : undefined
  }

  async function lineFor(userId: string, device: string, seconds: number): Promise<string | undefined> {
    const password = await readPassword('id', userId)
    const at = nowSeconds()
    return (
      password &&
      cookies.setCookieValue(nameOf(userId), `${device}.${at}.${sign(userId, device, at, password.password)}`, seconds)
    )
  }

  return {
    /** Returns the device of a request; undefined: no device has entered this account with its present password. */
    async find(request: Request, email: string): Promise<string | undefined> {
      if (!request.headers.get('cookie')?.includes(cookies.nameOf('equipo-'))) return undefined
      const password = await readPassword('email', email)
      const cookieParts = password && COOKIE_PATTERN.exec(cookies.read(request, nameOf(password.userId)) ?? '')
      if (!cookieParts) return undefined
      const [, device, at, mac] = cookieParts as unknown as [string, string, string, string]
      const lifetimeSeconds = device === waitBypassDeviceOf(password.userId) ? WAIT_BYPASS_SECONDS : COOKIE_SECONDS
      if (nowSeconds() - Number(at) > lifetimeSeconds) return undefined
      return isSameText(mac, sign(password.userId, device, Number(at), password.password)) ? device : undefined
    },

    /** Returns the cookie for a browser that has just signed in: with its device if known, or else with a new device. */
    cookieFor: (userId: string, knownDevice?: string): Promise<string | undefined> =>
      lineFor(
        userId,
        knownDevice === undefined || knownDevice === waitBypassDeviceOf(userId)
          ? randomBytes(16).toString('base64url')
          : knownDevice,
        COOKIE_SECONDS,
      ),

    /** Returns the cookie for a browser that a mailed link lets past the waits; undefined: the account has no password. */
    cookieForWaitBypass: (userId: string): Promise<string | undefined> =>
      lineFor(userId, waitBypassDeviceOf(userId), WAIT_BYPASS_SECONDS),
  }
}
