import { expect, test } from 'vitest'
import { clientAddress, hasUntrustedProxyHeader } from './client-address.ts'

test.each([
  ['203.0.113.7', undefined, 0, '203.0.113.7'],
  ['::ffff:203.0.113.7', undefined, 0, '203.0.113.7'],
  ['2001:db8:1:2:aaaa:bbbb:cccc:dddd', undefined, 0, '2001:db8:1:2::/64'],
  ['2001:db8::1', undefined, 0, '2001:db8:0:0::/64'],
  ['::1', undefined, 0, '0:0:0:0::/64'],
  // Without a proxy of ours, the header is only the visitor's claim.
  ['203.0.113.7', '10.0.0.1', 0, '203.0.113.7'],
  ['127.0.0.1', '198.51.100.9', 1, '198.51.100.9'],
  ['127.0.0.1', 'forged, 198.51.100.9', 1, '198.51.100.9'],
  ['127.0.0.1', 'forged, 198.51.100.9, 10.0.0.2', 2, '198.51.100.9'],
  ['127.0.0.1', '198.51.100.9:51234', 1, '198.51.100.9'],
  ['127.0.0.1', '[2001:db8:1:2::9]:51234', 1, '2001:db8:1:2::/64'],
  ['127.0.0.1', undefined, 1, '127.0.0.1'],
  // Fewer hops than proxies: the request bypassed a proxy, and its sender wrote the header.
  ['203.0.113.7', '198.51.100.9', 2, '203.0.113.7'],
  ['203.0.113.7', 'a made-up bucket of its own', 1, '203.0.113.7'],
])('%s, forwarded %s, %i proxies: %s', (socket, forwarded, proxies, expected) => {
  expect(clientAddress(socket, forwarded, proxies)).toBe(expected)
})

test('a forwarded request is noticed where no proxy is trusted', () => {
  expect(hasUntrustedProxyHeader({ 'x-forwarded-for': '198.51.100.9' }, 0)).toBe(true)
  expect(hasUntrustedProxyHeader({ forwarded: 'for=198.51.100.9' }, 0)).toBe(true)
  expect(hasUntrustedProxyHeader({ 'x-forwarded-for': '198.51.100.9' }, 1)).toBe(false)
  expect(hasUntrustedProxyHeader({}, 0)).toBe(false)
})
