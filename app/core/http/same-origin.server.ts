/** The answer to a form sent from another site. */
export const CROSS_ORIGIN_FORM_MESSAGE = 'Este envío no viene de nuestro sitio. Abre la página y envíalo desde ahí.'

/** A host name that reaches only this machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

/**
 * Whether a form comes from the site's own pages, also under another name of this machine. Origins are compared whole: under a
 * host name with TLS, an answer without TLS may come from any machine on the way. A program that sends no Origin acts for
 * itself alone.
 */
export function isOwnForm({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get('origin')
  const host = headers.get('host') ?? ''
  if (origin === null || origin === publicUrl) return true
  return origin === `${new URL(publicUrl).protocol}//${host}` || (LOOPBACK.test(host) && origin === `http://${host}`)
}

/** A plain-text answer of one sentence. */
export const sentence = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
