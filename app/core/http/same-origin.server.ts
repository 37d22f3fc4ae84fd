/** A form sent from another site gets this answer. */
export const CROSS_ORIGIN_FORM_MESSAGE = 'Este envío no viene de nuestro sitio. Abre la página y envíalo desde ahí.'

/** The pattern matches host names that reach only this machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

/**
 * Returns whether a form comes from the site's own pages, also under another name of this machine. Origins are compared whole:
 * under a host name with TLS, an answer without TLS may come from any machine on the way. A request without an Origin is
 * accepted, since browsers send one with every posted form; a program without one acts for itself alone.
 */
export function isSameOriginForm({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get('origin')
  const host = headers.get('host') ?? ''
  if (origin === null || origin === publicUrl) return true
  return origin === `${new URL(publicUrl).protocol}//${host}` || (LOOPBACK.test(host) && origin === `http://${host}`)
}

/** Makes a plain-text answer of one sentence. */
export const textResponse = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
