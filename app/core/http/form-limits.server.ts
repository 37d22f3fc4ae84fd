/** Maximum number of fields, above the number in the largest form, the bulk decision, which has a field for each entry. */
export const MAX_FORM_FIELDS = 2_000

const AMPERSAND = 38
const PART_HEADER = Buffer.from('content-disposition:')

/**
 * Returns whether a form's body has more than MAX_FORM_FIELDS separators of fields. They are counted before the body is parsed,
 * since parsing a field takes a thousand times as long as finding its separator.
 * @param body at most a few hundred kilobytes, not parsed yet
 */
export function hasTooManyFields(body: Uint8Array, contentType: string): boolean {
  let separatorCount = 0
  if (/^multipart\//i.test(contentType)) {
    const lowerCaseBody = Buffer.from(Buffer.from(body).toString('latin1').toLowerCase(), 'latin1')
    for (
      let offset = lowerCaseBody.indexOf(PART_HEADER);
      offset !== -1 && separatorCount <= MAX_FORM_FIELDS;
      offset = lowerCaseBody.indexOf(PART_HEADER, offset + 1)
    )
      separatorCount++
  } else
    for (
      let offset = body.indexOf(AMPERSAND);
      offset !== -1 && separatorCount <= MAX_FORM_FIELDS;
      offset = body.indexOf(AMPERSAND, offset + 1)
    )
      separatorCount++
  return separatorCount > MAX_FORM_FIELDS
}
