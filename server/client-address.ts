import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { networkOf } from '#app/core/http/client-networks.server.ts'

/**
 * Returns the visitor's network, which must not be logged or stored but as a keyed hash. X-Forwarded-For counts only as far as
 * trusted proxies wrote it, since a visitor can send it, too; without them the socket's address counts.
 * @param forwardedFor the X-Forwarded-For header, whose last `trustedProxies` entries come from our own proxies
 * @returns an IPv4 address, or the /64 of an IPv6 one; empty for a socket without an address
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const hops = trustedProxies > 0 && forwardedFor ? forwardedFor.split(',') : []
  // Some proxies add the port to the address, and put an IPv6 address in brackets.
  const hop = hops
    .at(-trustedProxies)
    ?.trim()
    .replace(/^\[(.+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  return networkOf(hop) ?? networkOf(socketAddress) ?? socketAddress ?? ''
}

/** Returns the network of a request's visitor, as `clientAddress` does. */
export const clientOf = ({ socket, headers }: IncomingMessage, trustedProxies: number): string =>
  clientAddress(socket.remoteAddress, headers['x-forwarded-for']?.toString(), trustedProxies)

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/** Returns whether a request has a proxy's header although TRUSTED_PROXIES is 0: a proxy was not counted, or the visitor sent it. */
export const hasUntrustedProxyHeader = (headers: IncomingHttpHeaders, trustedProxies: number): boolean =>
  trustedProxies === 0 && PROXY_HEADERS.some((name) => headers[name] !== undefined)
