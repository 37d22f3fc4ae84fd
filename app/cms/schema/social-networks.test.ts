import { expect, test } from 'vitest'
import { normalizePageUrl, socialNetworkOf } from './social-networks.ts'

test.each([
  ['https://www.facebook.com/azahares', 'facebook', 'https://www.facebook.com/azahares'],
  ['https://es-la.facebook.com/azahares', 'facebook', 'https://www.facebook.com/azahares'],
  ['https://web.facebook.com/azahares?_rdc=1', 'facebook', 'https://www.facebook.com/azahares?_rdc=1'],
  ['http://m.facebook.com/azahares', 'facebook', 'https://www.facebook.com/azahares'],
  ['mbasic.facebook.com/profile.php?id=1', 'facebook', 'https://www.facebook.com/profile.php?id=1'],
  ['facebook.com/azahares', 'facebook', 'https://www.facebook.com/azahares'],
  ['Facebook.com/Azahares', 'facebook', 'https://www.facebook.com/Azahares'],
  [' \u200bhttps://WWW.FACEBOOK.COM./azahares\u00a0', 'facebook', 'https://www.facebook.com/azahares'],
  ['//fb.com/azahares', 'facebook', 'https://www.facebook.com/azahares'],
  ['https://fb.me/azahares', 'facebook', 'https://fb.me/azahares'],
  ['fb.watch/abc/', 'facebook', 'https://fb.watch/abc/'],
  [
    'https://l.facebook.com/l.php?u=https%3A%2F%2Finstagram.com%2Fazahares&h=x',
    'instagram',
    'https://www.instagram.com/azahares',
  ],
  ['https://l.instagram.com/?u=http%3A%2F%2Fyoutu.be%2Fabc', 'youtube', 'https://youtu.be/abc'],
  ['http://instagr.am/azahares', 'instagram', 'https://www.instagram.com/azahares'],
  ['instagram.com/azahares?igsh=x', 'instagram', 'https://www.instagram.com/azahares?igsh=x'],
  ['vt.tiktok.com/ZS1/', 'tiktok', 'https://vt.tiktok.com/ZS1/'],
  ['https://vm.tiktok.com/ZM1/', 'tiktok', 'https://vm.tiktok.com/ZM1/'],
  ['tiktok.com/@azahares', 'tiktok', 'https://www.tiktok.com/@azahares'],
  ['https://m.youtube.com/@azahares', 'youtube', 'https://www.youtube.com/@azahares'],
  ['https://mobile.twitter.com/azahares', 'x', 'https://twitter.com/azahares'],
  ['http://x.com/azahares', 'x', 'https://x.com/azahares'],
  ['wa.me/523322221111', 'whatsapp', 'https://wa.me/523322221111'],
  ['chat.whatsapp.com/abc', 'whatsapp', 'https://chat.whatsapp.com/abc'],
  ['www.threads.com/@azahares', 'threads', 'https://www.threads.com/@azahares'],
])('%s is a page of %s: %s', (copied, network, mended) => {
  expect(socialNetworkOf(copied)).toBe(network)
  expect(normalizePageUrl(copied)).toBe(mended)
  expect(normalizePageUrl(mended)).toBe(mended)
})

test.each([
  'https://facebook.com.evil.mx/azahares',
  'https://evil.mx/facebook.com/azahares',
  'https://faceb00k.com/azahares',
  'https://xfacebook.com/azahares',
  'https://facebook.com@evil.mx/azahares',
  'https://azahares@facebook.com/x',
  'https://fаcebook.com/azahares',
  'https://facebook.com:8443/azahares',
  'https://login-verify.facebook.com/azahares',
  'https://l.facebook.com/l.php?u=https%3A%2F%2Fevil.mx%2Fx',
  'https://l.facebook.com/l.php?u=https%3A%2F%2Fl.facebook.com%2Fl.php%3Fu%3Dhttps%253A%252F%252Fx.com%252Fa',
  'https://www.facebook.com/',
  'facebook.com',
  'javascript:alert(1)//facebook.com/x',
  'ftp://facebook.com/azahares',
  '@azahares',
  'mailto:ana@facebook.com',
  '',
])('%j is no page of a network, and stays as it is', (copied) => {
  expect(socialNetworkOf(copied)).toBeUndefined()
  expect(normalizePageUrl(copied)).toBe(copied)
})
