import { isIP, isIPv6 } from 'node:net'

// The limits count a visitor by networks, which these functions derive from the network address.

/**
 * Returns the network that an address counts for: an IPv4 address itself, or the /64 of an IPv6 address, which belongs to one
 * household or phone.
 * @returns undefined for text that is not an address
 */
export function networkOf(address: string | undefined): string | undefined {
  // A link-local address may name its interface behind a percent sign. An IPv4 address may be mapped into IPv6 (RFC 4291
  // §2.5.5.2).
  const plainAddress = (address ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIP(plainAddress) === 0) return undefined
  return isIPv6(plainAddress) ? prefixOf(plainAddress, 4) : plainAddress
}

/**
 * Returns a visitor's network and, for IPv6, the /48 around it. A tenant of a rented server may have all 65,536 networks of a
 * /48, so a limit on the /64 alone would be useless.
 * @param client as in `RequestFacts.client`
 */
export function networksOf(client: string): [string] | [string, string] {
  const wideNetwork = blockOf(client, 48)
  return wideNetwork === undefined ? [client] : [client, wideNetwork]
}

/**
 * Returns the neighbourhood of a visitor, a /24 of IPv4 or a /48 of IPv6: one school or antenna may share it, and one tenant may
 * own it.
 * @param client as in `RequestFacts.client`
 */
export const neighbourhoodOf = (client: string): string => blockOf(client, 48) ?? client.replace(/\.\d+$/, '.0/24')

/**
 * Returns the block of an IPv6 address that belongs to one subscriber (/48) or to a whole provider (/32); undefined for IPv4.
 * @param address an address, or a /64 as in `RequestFacts.client`
 */
export function blockOf(address: string, bits: 32 | 48): string | undefined {
  const plainAddress = address.replace(/\/64$/, '')
  return isIPv6(plainAddress) ? prefixOf(plainAddress, bits / 16) : undefined
}

function prefixOf(address: string, groupCount: number): string {
  // The last two groups may be written as IPv4.
  const hexAddress = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = hexAddress.split('::')
  const headGroups = head.split(':').filter(Boolean)
  const tailGroups = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const allGroups =
    tail === undefined
      ? headGroups
      : [...headGroups, ...Array<string>(8 - headGroups.length - tailGroups.length).fill('0'), ...tailGroups]
  const prefixGroups = allGroups.slice(0, groupCount).map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefixGroups.join(':')}::/${groupCount * 16}`
}
