/** No form of the site has as many fields; the longest form names each entry of a bulk decision. */
export const MAX_FORM_FIELDS = 2_000

const AMPERSAND = 38
const PART_HEADER = Buffer.from('content-disposition:')

/**
 * Returns whether a form's body has more than MAX_FORM_FIELDS. The count comes before the parsing, since creating a field costs a
 * thousand times as much as skipping its separator.
 * @param body raw, a few hundred kilobytes at most
 * @param type its content type
 */
export function hasTooManyFields(body: Uint8Array, type: string): boolean {
  let fields = 0
  if (/^multipart\//i.test(type)) {
    const text = Buffer.from(Buffer.from(body).toString('latin1').toLowerCase(), 'latin1')
    for (
      let at = text.indexOf(PART_HEADER);
      at !== -1 && fields <= MAX_FORM_FIELDS;
      at = text.indexOf(PART_HEADER, at + 1)
    )
      fields++
  } else
    for (let at = body.indexOf(AMPERSAND); at !== -1 && fields <= MAX_FORM_FIELDS; at = body.indexOf(AMPERSAND, at + 1))
      fields++
  return fields > MAX_FORM_FIELDS
}
