/** The answer to a form that another site sends. */
export const CROSS_ORIGIN_FORM_MESSAGE = 'Este envío no viene de nuestro sitio. Abre la página y envíalo desde ahí.'

/** A name by which only this machine itself reaches the site. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

/**
 * Whether a form comes from this site's own pages, be it under another name of this machine's. Origins are compared
 * whole: what answers without TLS under a name of a site that has it may be anybody on the way. A program that sends no
 * origin speaks for itself alone.
 */
export function isOwnForm({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get('origin')
  const host = headers.get('host') ?? ''
  if (origin === null || origin === publicUrl) return true
  return origin === `${new URL(publicUrl).protocol}//${host}` || (LOOPBACK.test(host) && origin === `http://${host}`)
}

/** An answer of one sentence. */
export const sentence = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
