import type { RouterContextProvider } from 'react-router'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'

/** Returns the secret of a mailed link; '' for a text that cannot be one. */
const parseSecret = (text: string) => (/^[\w.-]{1,120}$/.test(text) ? text : '')

/**
 * Makes the accessors of the cookie into which a mailed link's secret is moved, so that neither the history nor the address bar
 * keeps it.
 */
export function linkCookieOf(context: Readonly<RouterContextProvider>, name: 'llave' | 'paso') {
  const cookies = createCookies(servicesOf(context).services.settings.publicUrl)
  return {
    read: (request: Request): string => parseSecret(cookies.read(request, name) ?? ''),
    setCookie: (secret: string): string => cookies.toSetCookieHeader(name, parseSecret(secret), HOUR_MS / 1_000),
    clearCookie: (): string => cookies.toSetCookieHeader(name, '', 0),
  }
}
