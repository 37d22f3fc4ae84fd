/** The answer to a form that another site sends. */
export const ENVIO_AJENO = 'Este envío no viene de nuestro sitio. Abre la página y envíalo desde ahí.'

/** Whether a form comes from this site's own pages; a program that sends no origin speaks for itself alone. */
export function isOwnForm({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === publicUrl || URL.parse(origin)?.host === headers.get('host')
}

/** An answer of one sentence. */
export const sentence = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
