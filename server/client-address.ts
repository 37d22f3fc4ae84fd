import { isIPv6 } from 'node:net'

/**
 * The visitor's network address, for limits only: never logged or stored.
 * @param forwarded the X-Forwarded-For header; only its last `trustedProxies` entries come from servers of ours
 * @returns an IPv4 address, or the /64 of an IPv6 one, which a household or a phone has for itself
 */
export function clientAddress(
  socket: string | undefined,
  forwarded: string | undefined,
  trustedProxies: number,
): string {
  const hops = trustedProxies > 0 && forwarded ? forwarded.split(',').map((hop) => hop.trim()) : []
  const address = (hops.at(-trustedProxies) ?? hops[0] ?? socket ?? '').replace(/^::ffff:/i, '')
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail === undefined ? [] : tail.split(':').filter(Boolean)
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
