import { getDomain } from 'tldts'

/**
 * Returns the registered domain of a host, as «primo.com.mx» of «s1.correo.primo.com.mx», since its owner can make any number of
 * subdomains. A subdomain that a company gives away, as «primo.duckdns.org», belongs to the company's domain.
 * @source the ICANN section of publicsuffix.org
 */
const registeredDomainOf = (host: string): string => getDomain(host, { allowPrivateDomains: false }) ?? host

/**
 * Returns the domain that a vote from an email address is counted for, since the domain's owner can make any number of
 * addresses.
 * @param email in lower case
 * @param providers domains at which every person may have an address
 * @returns undefined for addresses at `providers`
 */
export function registrableDomainOf(email: string, providers: readonly string[]): string | undefined {
  const domain = registeredDomainOf(email.slice(email.lastIndexOf('@') + 1))
  return providers.includes(domain) ? undefined : domain
}
