import { getDomain } from 'tldts'

/**
 * Returns the domain that was registered, since only its owner can make subdomains: «s1.correo.primo.com.mx» → «primo.com.mx».
 * Subdomains that a company gives away («primo.duckdns.org») count as the company's. @source the ICANN section of
 * publicsuffix.org
 */
const registeredDomainOf = (host: string): string => getDomain(host, { allowPrivateDomains: false }) ?? host

/**
 * Returns the domain that an e-mail address is counted for, since the domain's owner can make any number of addresses.
 * @param email in lower case
 * @param providers domains at which every person may have an address
 * @returns undefined for addresses at `providers`
 */
export function registrableDomainOf(email: string, providers: readonly string[]): string | undefined {
  const domain = registeredDomainOf(email.slice(email.lastIndexOf('@') + 1))
  return providers.includes(domain) ? undefined : domain
}
