import { createHmac, timingSafeEqual } from 'node:crypto'

/** Returns a cookie of a Cookie header, decoded; undefined if it is missing or its encoding is invalid. */
export function cookieOf(header: string | null, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const separatorIndex = pair.indexOf('=')
    if (separatorIndex === -1 || pair.slice(0, separatorIndex).trim() !== name) continue
    try {
      return decodeURIComponent(pair.slice(separatorIndex + 1).trim())
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
 * Reads and writes this site's cookies, which no script can read and no POST from another site sends.
 * @param publicUrl the site's own origin; with https, cookies are sent over TLS alone
 */
export function createCookies(publicUrl: string) {
  const isSecure = publicUrl.startsWith('https:')
  const fullNameOf = (name: string) => `${cookiePrefixOf(publicUrl)}.${name}`
  return {
    nameOf: fullNameOf,
    read: (request: Request, name: string) => cookieOf(request.headers.get('cookie'), fullNameOf(name)),
    /** @param value only characters that need no encoding in a cookie */
    toSetCookieHeader: (name: string, value: string, seconds: number) =>
      `${fullNameOf(name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
}

export type Cookies = ReturnType<typeof createCookies>

/** Returns the keyed hash (HMAC-SHA-256) of a list of texts; JSON keeps two lists apart whose joined texts are equal. */
export const fingerprintOf = (key: Parameters<typeof createHmac>[1], ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest()

/** Compares two texts in constant time; only a difference in length returns early. */
export const isSameText = (a: string, b: string): boolean => {
  const [aBytes, bBytes] = [Buffer.from(a), Buffer.from(b)]
  return aBytes.length === bBytes.length && timingSafeEqual(aBytes, bBytes)
}
