import { getDomain } from 'tldts'

/**
 * The domain that was registered, and under which only its owner can make others: «s1.correo.primo.com.mx» →
 * «primo.com.mx». Names that a company gives away under its own («primo.duckdns.org») are the company's.
 * @source publicsuffix.org, ICANN section
 */
const registrableDe = (host: string): string => getDomain(host, { allowPrivateDomains: false }) ?? host

/**
 * The domain that an address is counted under: its owner can make as many addresses as there are votes.
 * @param email in lower case
 * @param providers domains at which anybody may have an address
 * @returns undefined for those
 */
export function registrableDomainOf(email: string, providers: readonly string[]): string | undefined {
  const domain = registrableDe(email.slice(email.lastIndexOf('@') + 1))
  return providers.includes(domain) ? undefined : domain
}
