import { withoutInvisible } from './typed-text.ts'

/** Maximum length of an address. A path has at most 256 octets with its two angle brackets. @source RFC 5321 §4.5.3.1.3 */
export const MAX_ADDRESS_LENGTH = 254
/** @source RFC 5321 §4.5.3.1.1 */
const MAX_LOCAL_PART_LENGTH = 64
/**
 * Maximum length of input that is trimmed, since trimming by `/ +$/` takes time quadratic in a run of blanks. Longer input is
 * refused as it is.
 */
const MAX_INPUT_LENGTH = 1_000

const LOCAL_PART_PATTERN = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN_PATTERN =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export type EmailAddressFault = 'empty' | 'tooLong' | 'forbiddenCharacters' | 'accents' | 'malformed'

/**
 * Checks an address for sending mail, and returns it in the form for sending: a domain with accents becomes its ASCII name in
 * lower case, while the part before the @ stays as it was written.
 *
 * Quoted local parts, comments, lists, address literals and line breaks are refused. Addresses that people type have none of
 * them, and each is a known way to make a mail library write to another mailbox. Letters beyond ASCII before the @ are refused,
 * since not every server on the way carries them (SMTPUTF8, RFC 6531).
 */
export function checkEmailAddress(
  text: string,
): { ok: true; address: string } | { ok: false; reason: EmailAddressFault } {
  // Phone keyboards add a space after a word. Line breaks are not trimmed, but refused below.
  const trimmedText = text.length > MAX_INPUT_LENGTH ? text : withoutInvisible(text).replace(/^ +| +$/g, '')
  if (trimmedText === '') return { ok: false, reason: 'empty' }
  if (trimmedText.length > MAX_ADDRESS_LENGTH) return { ok: false, reason: 'tooLong' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the address is refused for these characters
  if (/[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff"(),:;<>[\\\]]/.test(trimmedText))
    return { ok: false, reason: 'forbiddenCharacters' }
  const parts = trimmedText.split('@')
  const [local, domain] = parts
  if (parts.length !== 2 || !local || !domain) return { ok: false, reason: 'malformed' }
  if (/[^\x21-\x7e]/.test(local)) return { ok: false, reason: 'accents' }
  const host = asciiDomain(domain)
  if (host === undefined || !LOCAL_PART_PATTERN.test(local)) return { ok: false, reason: 'malformed' }
  const address = `${local}@${host}`
  return local.length > MAX_LOCAL_PART_LENGTH || address.length > MAX_ADDRESS_LENGTH
    ? { ok: false, reason: 'tooLong' }
    : { ok: true, address }
}

/** Returns a domain in ASCII and lower case; undefined for text that is not a domain. */
function asciiDomain(domain: string): string | undefined {
  // The URL parser would read a path, a query, a fragment or percent-escapes; DOMAIN_PATTERN refuses IP addresses.
  if (/[/?#%]/.test(domain)) return undefined
  try {
    // URL.parse is missing before Chrome 126 and Safari 18 (2024).
    const { hostname } = new URL(`http://${domain}`)
    return DOMAIN_PATTERN.test(hostname) ? hostname : undefined
  } catch {
    return undefined
  }
}
