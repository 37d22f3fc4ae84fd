import { expect, test } from 'vitest'
import { networkOf, networksOf } from './redes.server.ts'

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
