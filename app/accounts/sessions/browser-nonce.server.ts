import { randomBytes } from 'node:crypto'
import type { Cookies } from './cookies.server.ts'

const NAME = 'navegador'
/** Longer than a code holds, so that a second request still comes from the same browser. */
const SECONDS = 30 * 60
const NONCE = /^[\w-]{22}$/

/**
 * The nonce by which a code knows the browser that asked for it. It is no personal data, and a forged nonce gains no more
 * than a new browser has.
 */
export function createBrowserNonce(cookies: Cookies) {
  const read = (request: Request): string | undefined => {
    const given = cookies.read(request, NAME)
    return given !== undefined && NONCE.test(given) ? given : undefined
  }
  return {
    /** The nonce of a request; undefined: none. */
    read,
    /** The nonce of a request, or a new one, and the cookie that keeps it. */
    keep(request: Request): { nonce: string; cookie: string } {
      const browser = read(request) ?? randomBytes(16).toString('base64url')
      return { nonce: browser, cookie: cookies.line(NAME, browser, SECONDS) }
    },
  }
}
