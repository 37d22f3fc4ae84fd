/** More fields than any form of the site has; the longest form names each entry of a bulk decision. */
export const MAX_FORM_FIELDS = 2_000

const AMPERSAND = 38
const PART_HEADER = Buffer.from('content-disposition:')

/**
 * Returns whether a form's body has more than MAX_FORM_FIELDS fields. Fields are counted before the body is parsed, since
 * creating a field costs a thousand times as much as skipping its separator.
 * @param body a few hundred kilobytes at most, not parsed yet
 * @param type content type of the body
 */
export function hasTooManyFields(body: Uint8Array, type: string): boolean {
  let fields = 0
  if (/^multipart\//i.test(type)) {
    const text = Buffer.from(Buffer.from(body).toString('latin1').toLowerCase(), 'latin1')
    for (
      let offset = text.indexOf(PART_HEADER);
      offset !== -1 && fields <= MAX_FORM_FIELDS;
      offset = text.indexOf(PART_HEADER, offset + 1)
    )
      fields++
  } else
    for (
      let offset = body.indexOf(AMPERSAND);
      offset !== -1 && fields <= MAX_FORM_FIELDS;
      offset = body.indexOf(AMPERSAND, offset + 1)
    )
      fields++
  return fields > MAX_FORM_FIELDS
}
