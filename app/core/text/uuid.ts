const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Returns whether a value is a UUID v4 in lower case, as `newUuid` and `randomUUID` write it. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID_V4.test(value)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns whether a value is a UUID of any version in lower case. */
export const isAnyUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

/** Returns a new UUID v4. Works on a page without TLS, too, where browsers lack `crypto.randomUUID`. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
