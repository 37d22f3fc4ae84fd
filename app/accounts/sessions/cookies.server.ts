import { createHmac, timingSafeEqual } from 'node:crypto'

/** Returns one cookie of a Cookie header, decoded; undefined: the cookie is missing, or no valid encoding. */
export function cookieOf(header: string | null, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at === -1 || pair.slice(0, at).trim() !== name) continue
    try {
      return decodeURIComponent(pair.slice(at + 1).trim())
    } catch {
      return undefined
    }
  }
  return undefined
}

/**
 * Returns the prefix of all cookie names, better-auth's too. `__Host-`, which browsers accept over https alone, keeps other
 * hosts of the domain from setting a cookie (MDN, Set-Cookie).
 */
export const cookiePrefixOf = (publicUrl: string): string =>
  `${publicUrl.startsWith('https:') ? '__Host-' : ''}certamen`

/**
 * Reads and writes this site's cookies. No script reads a cookie of this site, and no form of another site sends one.
 * @param publicUrl where visitors reach the site; with https the cookies travel over TLS alone
 */
export function createCookies(publicUrl: string) {
  const isSecure = publicUrl.startsWith('https:')
  const fullNameOf = (name: string) => `${cookiePrefixOf(publicUrl)}.${name}`
  return {
    nameOf: fullNameOf,
    read: (request: Request, name: string) => cookieOf(request.headers.get('cookie'), fullNameOf(name)),
    /** @param value only characters that need no encoding in a cookie */
    setCookieValue: (name: string, value: string, seconds: number) =>
      `${fullNameOf(name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
}

export type Cookies = ReturnType<typeof createCookies>

/** Returns the keyed hash (HMAC-SHA-256) of a list of texts, as JSON so that no two lists look alike. */
export const fingerprintOf = (key: Parameters<typeof createHmac>[1], ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest()

/** Compares two texts in constant time; only a difference in length returns early. */
export const isSameText = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
