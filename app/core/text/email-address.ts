import { withoutUnseen } from './typed-text.ts'

/** RFC 5321: a path has 256 octets, its angle brackets among them. */
export const MAX_ADDRESS = 254
const MAX_LOCAL = 64
/** What is longer is no address, however many blanks stand around one: to look for its end takes the square of its length. */
const MAX_TYPED = 1_000

const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export type AddressFault = 'vacia' | 'larga' | 'caracteres' | 'acentos' | 'forma'

/**
 * An address to which mail can be sent, in the form in which it is sent: a domain with accents becomes its ASCII name,
 * the part before the @ stays as it was written.
 *
 * Quoted local parts, comments, lists, address literals and line breaks are refused rather than escaped: nobody who
 * types an address into a form has one, and each has led a mail library to somebody else's mailbox. Letters beyond ASCII
 * before the @ are refused because not every server on the way carries them (SMTPUTF8).
 */
export function checkAddress(text: string): { ok: true; address: string } | { ok: false; reason: AddressFault } {
  // Keyboards of phones leave a space behind a completed word.
  const given = text.length > MAX_TYPED ? text : withoutUnseen(text).replace(/^ +| +$/g, '')
  if (given === '') return { ok: false, reason: 'vacia' }
  if (given.length > MAX_ADDRESS) return { ok: false, reason: 'larga' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this refuses
  if (/[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff"(),:;<>[\\\]]/.test(given)) return { ok: false, reason: 'caracteres' }
  const parts = given.split('@')
  const [local, domain] = parts
  if (parts.length !== 2 || !local || !domain) return { ok: false, reason: 'forma' }
  if (/[^\x21-\x7e]/.test(local)) return { ok: false, reason: 'acentos' }
  const host = asciiDomain(domain)
  if (host === undefined || !LOCAL.test(local)) return { ok: false, reason: 'forma' }
  const address = `${local}@${host}`
  return local.length > MAX_LOCAL || address.length > MAX_ADDRESS
    ? { ok: false, reason: 'larga' }
    : { ok: true, address }
}

/** The domain as the network knows it, in lower case; undefined when it is none. */
function asciiDomain(domain: string): string | undefined {
  // A URL's own rules would also take a port, a path, or a number for an address of the network.
  if (/[/?#%]/.test(domain)) return undefined
  try {
    // Not URL.parse: telephones that are two years old do not have it.
    const { hostname } = new URL(`http://${domain}`)
    return DOMAIN.test(hostname) ? hostname : undefined
  } catch {
    return undefined
  }
}
