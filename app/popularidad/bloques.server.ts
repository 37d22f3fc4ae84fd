import { blockOf } from '#app/platform/redes.server.ts'

/**
 * The block that an address belongs to: what one household, school or antenna shares. IPv4 /24, IPv6 /48.
 * @param client an address, or an IPv6 /64 written «a:b:c:d::/64»
 */
export const bloqueDe = (client: string): string => blockOf(client, 48) ?? client.replace(/\.\d+$/, '.0/24')

/** The /32 of an IPv6 address, which a whole company has; undefined for IPv4, whose blocks were cut smaller. */
export const granBloqueDe = (client: string): string | undefined => blockOf(client, 32)
