/** More fields than any form of the site has: the longest names each entry that is decided about together. */
export const MAX_FORM_FIELDS = 2_000

const AMPERSAND = 38
const PART = Buffer.from('content-disposition:')

/**
 * Whether a form's body has more fields than any form of the site. It is asked before the body is parsed: to make a field
 * takes a thousand times as long as to pass over the sign that ends it.
 * @param body as it came, a few hundred kilobytes at most
 * @param type its content type
 */
export function hasTooManyFields(body: Uint8Array, type: string): boolean {
  let fields = 0
  if (/^multipart\//i.test(type)) {
    const text = Buffer.from(Buffer.from(body).toString('latin1').toLowerCase(), 'latin1')
    for (let at = text.indexOf(PART); at !== -1 && fields <= MAX_FORM_FIELDS; at = text.indexOf(PART, at + 1)) fields++
  } else
    for (let at = body.indexOf(AMPERSAND); at !== -1 && fields <= MAX_FORM_FIELDS; at = body.indexOf(AMPERSAND, at + 1))
      fields++
  return fields > MAX_FORM_FIELDS
}
