import { expect, test } from 'vitest'
import { bloqueDe, granBloqueDe } from './bloques.server.ts'

test('networks are counted by block', () => {
  expect(bloqueDe('192.0.2.77')).toBe('192.0.2.0/24')
  expect(bloqueDe('2001:db8:1:2::/64')).toBe('2001:db8:1::/48')
  expect(granBloqueDe('2001:db8:1:2::/64')).toBe('2001:db8::/32')
  expect(granBloqueDe('192.0.2.77')).toBeUndefined()
  // A mail server's address, as a name server writes it.
  expect(bloqueDe('2a00::1')).toBe('2a00:0:0::/48')
})
