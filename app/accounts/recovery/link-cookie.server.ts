import type { RouterContextProvider } from 'react-router'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'

/** Returns the secret of a mailed link; '' where the text cannot be one. */
const readSecret = (text: string) => (/^[\w.-]{1,120}$/.test(text) ? text : '')

/**
 * Makes the accessors of the cookie into which a mailed link's secret moves at once, so that no history and no address bar keeps
 * the secret.
 */
export function linkCookieOf(context: Readonly<RouterContextProvider>, name: 'llave' | 'paso') {
  const cookies = createCookies(servicesOf(context).services.settings.publicUrl)
  return {
    read: (request: Request): string => readSecret(cookies.read(request, name) ?? ''),
    setCookie: (secret: string): string => cookies.setCookieValue(name, readSecret(secret), 3600),
    clearCookie: (): string => cookies.setCookieValue(name, '', 0),
  }
}
