import { expect, test } from 'vitest'
import { blockOf, neighbourhoodOf, networkOf, networksOf } from './client-networks.server.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2::/64'],
  ['2001:DB8::1', '2001:db8:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', undefined],
  ['203.0.113.7:4444', undefined],
  ['', undefined],
  [undefined, undefined],
])('%s counts as %s', (address, expected) => {
  expect(networkOf(address)).toBe(expected)
})

test('65,536 networks of one tenant have one network around them; an IPv4 address has none', () => {
  expect(networksOf('2001:db8:1:2::/64')).toEqual(['2001:db8:1:2::/64', '2001:db8:1::/48'])
  expect(networksOf('2001:db8:1:ffff::/64')[1]).toBe('2001:db8:1::/48')
  expect(networksOf('203.0.113.7')).toEqual(['203.0.113.7'])
})

test('the block that one tenant has easily is a /24 of IPv4, a /48 of IPv6', () => {
  expect(neighbourhoodOf('203.0.113.7')).toBe('203.0.113.0/24')
  expect(neighbourhoodOf('2001:db8:1:2::/64')).toBe('2001:db8:1::/48')
  expect(blockOf('2001:db8:1:2::/64', 32)).toBe('2001:db8::/32')
  expect(blockOf('192.0.2.77', 32)).toBeUndefined()
})
