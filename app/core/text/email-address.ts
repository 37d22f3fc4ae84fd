import { withoutUnseen } from './typed-text.ts'

/** RFC 5321 §4.5.3.1.3: a path has at most 256 octets, its angle brackets included. */
export const MAX_ADDRESS = 254
const MAX_LOCAL = 64
/** Longer text is no address. Looking for the end of its blanks would take time quadratic in its length. */
const MAX_TYPED = 1_000

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export type AddressFault = 'empty' | 'tooLong' | 'forbiddenCharacters' | 'accents' | 'malformed'

/**
 * Checks an address for sending mail, and gives it the form in which mail is sent: a domain with accents becomes its ASCII name
 * in lower case, the part before the @ stays as it was written.
 *
 * Quoted local parts, comments, lists, address literals and line breaks are refused rather than escaped: addresses typed into a
 * form have none, and each has led a mail library to another person's mailbox. Letters beyond ASCII before the @ are refused
 * because not every server on the way carries them (SMTPUTF8, RFC 6531).
 */
export function checkAddress(text: string): { ok: true; address: string } | { ok: false; reason: AddressFault } {
  // Phone keyboards leave a space behind a completed word.
  const trimmed = text.length > MAX_TYPED ? text : withoutUnseen(text).replace(/^ +| +$/g, '')
  if (trimmed === '') return { ok: false, reason: 'empty' }
  if (trimmed.length > MAX_ADDRESS) return { ok: false, reason: 'tooLong' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the address is refused for these characters
  if (/[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff"(),:;<>[\\\]]/.test(trimmed))
    return { ok: false, reason: 'forbiddenCharacters' }
  const parts = trimmed.split('@')
  const [local, domain] = parts
  if (parts.length !== 2 || !local || !domain) return { ok: false, reason: 'malformed' }
  if (/[^\x21-\x7e]/.test(local)) return { ok: false, reason: 'accents' }
  const host = asciiDomain(domain)
  if (host === undefined || !LOCAL.test(local)) return { ok: false, reason: 'malformed' }
  const address = `${local}@${host}`
  return local.length > MAX_LOCAL || address.length > MAX_ADDRESS
    ? { ok: false, reason: 'tooLong' }
    : { ok: true, address }
}

/** Returns the domain in ASCII and lower case; undefined for text that is no domain. */
function asciiDomain(domain: string): string | undefined {
  // The URL parser would also accept a port, a path, or a number as an IP address.
  if (/[/?#%]/.test(domain)) return undefined
  try {
    // URL.parse is missing on phones that are two years old.
    const { hostname } = new URL(`http://${domain}`)
    return DOMAIN.test(hostname) ? hostname : undefined
  } catch {
    return undefined
  }
}
