import type { IncomingHttpHeaders } from 'node:http'
import { networkOf } from '#app/core/http/client-networks.server.ts'

/**
 * Returns the visitor's network address, for limits only: never logged or stored. The header counts only where a trusted proxy
 * wrote it, never where a visitor claims it; otherwise the socket's address is used.
 * @param forwarded the X-Forwarded-For header; only its last `trustedProxies` entries come from servers of ours
 * @returns an IPv4 address, or the /64 of an IPv6 one; empty for a socket without an address
 */
export function clientAddress(
  socket: string | undefined,
  forwarded: string | undefined,
  trustedProxies: number,
): string {
  const hops = trustedProxies > 0 && forwarded ? forwarded.split(',') : []
  // Some proxies write the port behind the address, and brackets around an IPv6 one.
  const hop = hops
    .at(-trustedProxies)
    ?.trim()
    .replace(/^\[(.+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  return networkOf(hop) ?? networkOf(socket) ?? socket ?? ''
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/** Returns whether a request has a header of a proxy although no proxy is trusted. */
export const isForwardedUnheard = (headers: IncomingHttpHeaders, trustedProxies: number): boolean =>
  trustedProxies === 0 && FORWARDED.some((name) => headers[name] !== undefined)
