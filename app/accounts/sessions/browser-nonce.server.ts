import { randomBytes } from 'node:crypto'
import type { Cookies } from './cookies.server.ts'

const COOKIE_NAME = 'navegador'
/** Longer than a code is valid, so that a second request still comes from the same browser. */
const COOKIE_SECONDS = 30 * 60
const NONCE_PATTERN = /^[\w-]{22}$/

/**
 * Reads and makes the nonce that identifies the browser that asked for a code. The nonce is no personal data, and a forged nonce
 * gives no more than a new browser has.
 */
export function createBrowserNonce(cookies: Cookies) {
  const read = (request: Request): string | undefined => {
    const cookieValue = cookies.read(request, COOKIE_NAME)
    return cookieValue !== undefined && NONCE_PATTERN.test(cookieValue) ? cookieValue : undefined
  }
  return {
    read,
    /** Returns the nonce of a request, or a new nonce, and the cookie that stores the nonce for half an hour more. */
    readOrCreate(request: Request): { nonce: string; cookie: string } {
      const nonce = read(request) ?? randomBytes(16).toString('base64url')
      return { nonce, cookie: cookies.setCookieValue(COOKIE_NAME, nonce, COOKIE_SECONDS) }
    },
  }
}
