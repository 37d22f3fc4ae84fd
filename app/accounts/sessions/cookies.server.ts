import { createHmac, timingSafeEqual } from 'node:crypto'

/** One cookie of a Cookie header, decoded. */
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
 * What the names of all cookies begin with, better-auth's too. Over TLS a browser takes no such cookie from another host
 * of the same domain.
 */
export const cookiePrefixOf = (publicUrl: string): string =>
  `${publicUrl.startsWith('https:') ? '__Host-' : ''}certamen`

/**
 * The cookies that this site sets beside better-auth's: only the server reads them, and no other site sends them along.
 * @param publicUrl where visitors reach the site; with https they travel over TLS alone
 */
export function createCookies(publicUrl: string) {
  const isSecure = publicUrl.startsWith('https:')
  const full = (name: string) => `${cookiePrefixOf(publicUrl)}.${name}`
  return {
    nameOf: full,
    read: (request: Request, name: string) => cookieOf(request.headers.get('cookie'), full(name)),
    /** @param value made of characters that a cookie takes as they are */
    line: (name: string, value: string, seconds: number) =>
      `${full(name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
}

export type Cookies = ReturnType<typeof createCookies>

/** A keyed hash of what it is about, each part for itself. */
export const fingerprintOf = (key: Parameters<typeof createHmac>[1], ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest()

/** Compares texts in a time that says nothing of where they differ. */
export const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
