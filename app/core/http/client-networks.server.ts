import { isIP, isIPv6 } from 'node:net'

/** The networks that a visitor's address counts for, the narrowest first. */

/**
 * An address as limits count it: an IPv4 address, or the /64 of an IPv6 one, which a household or a phone has for itself.
 * @returns undefined for what is no address
 */
export function networkOf(address: string | undefined): string | undefined {
  // A link-local address may name its interface behind a percent sign; IPv4 may come in IPv6's clothes.
  const bare = (address ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIP(bare) === 0) return undefined
  return isIPv6(bare) ? prefixOf(bare, 4) : bare
}

/**
 * A visitor's network, and the one around it: of an IPv6 /64 its /48, of which anybody who rents a server has 65,536
 * others. A limit that counts only the first is none against such a tenant.
 * @param client as `RequestFacts.client` has it
 */
export function networksOf(client: string): [string] | [string, string] {
  const around = blockOf(client, 48)
  return around === undefined ? [client] : [client, around]
}

/**
 * What one household, school or antenna shares, and one tenant has easily: a /24 of IPv4, a /48 of IPv6.
 * @param client as `RequestFacts.client` has it
 */
export const neighbourhoodOf = (client: string): string => blockOf(client, 48) ?? client.replace(/\.\d+$/, '.0/24')

/**
 * The block of an IPv6 address that one subscriber (/48) or a whole provider (/32) has; undefined for IPv4.
 * @param address an address, or a /64 as `RequestFacts.client` has it
 */
export function blockOf(address: string, bits: 32 | 48): string | undefined {
  const bare = address.replace(/\/64$/, '')
  return isIPv6(bare) ? prefixOf(bare, bits / 16) : undefined
}

function prefixOf(address: string, groups: number): string {
  // IPv4 written into the last two groups.
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const all =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  const kept = all.slice(0, groups).map((group) => Number.parseInt(group, 16).toString(16))
  return `${kept.join(':')}::/${groups * 16}`
}
