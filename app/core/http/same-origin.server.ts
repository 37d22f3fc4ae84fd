export const CROSS_ORIGIN_FORM_MESSAGE = 'Este envío no viene de nuestro sitio. Abre la página y envíalo desde ahí.'

/** Matches host names that reach only this machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

/**
 * Returns whether a form comes from the site's own pages, also under another name of this machine. The scheme must match, except
 * at a loopback address, since any machine on the way can forge a page without TLS. A request without an Origin header is
 * accepted, since it does not come from a browser, which sends the header with every posted form.
 */
export function isSameOriginForm({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get('origin')
  const host = headers.get('host') ?? ''
  if (origin === null || origin === publicUrl) return true
  return origin === `${new URL(publicUrl).protocol}//${host}` || (LOOPBACK.test(host) && origin === `http://${host}`)
}

export const textResponse = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
