import { randomBytes } from 'node:crypto'
import type { Cookies } from './cookies.server.ts'

const NONCE_COOKIE_NAME = 'navegador'
/** The cookie outlives a code, so that a browser that asks for a second code keeps its nonce. */
const NONCE_COOKIE_SECONDS = 30 * 60
const NONCE_PATTERN = /^[\w-]{22}$/

/**
 * Reads or creates the nonce by which the site recognises the browser that asked for a code or for a passkey's challenge. A nonce
 * is not personal data, and a forged one grants no more than a new browser has.
 */
export function createBrowserNonce(cookies: Cookies) {
  const read = (request: Request): string | undefined => {
    const cookieValue = cookies.read(request, NONCE_COOKIE_NAME)
    return cookieValue !== undefined && NONCE_PATTERN.test(cookieValue) ? cookieValue : undefined
  }
  return {
    read,
    /** Returns the nonce of a request, or a new nonce, and the `Set-Cookie` value that keeps it for another half hour. */
    readOrCreate(request: Request): { nonce: string; cookie: string } {
      const nonce = read(request) ?? randomBytes(16).toString('base64url')
      return { nonce, cookie: cookies.toSetCookieHeader(NONCE_COOKIE_NAME, nonce, NONCE_COOKIE_SECONDS) }
    },
  }
}
