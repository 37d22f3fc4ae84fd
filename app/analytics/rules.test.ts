import { expect, test } from 'vitest'
import { isRobot, sourceOf } from './rules.ts'

test.each([
  [undefined, '', 'directo'],
  ['', '', 'directo'],
  ['https://l.facebook.com/', '', 'facebook'],
  [undefined, '?fbclid=IwAR0', 'facebook'],
  ['android-app://com.facebook.katana/', '', 'facebook'],
  ['https://www.instagram.com/', '', 'instagram'],
  [undefined, '?igsh=abc', 'instagram'],
  ['https://wa.me/', '', 'whatsapp'],
  ['https://www.google.com.mx/', '', 'buscador'],
  ['https://notfacebook.com/', '', 'otro-sitio'],
  ['https://www.tiktok.com/@feria', '', 'otra-red'],
  ['https://certamen.example/candidatas', '', 'sitio'],
  // A referer of this site means `sitio`, also with `fbclid` in the address.
  ['https://certamen.example/', '?fbclid=x', 'sitio'],
  ['nonsense', '', 'directo'],
] as const)('referer %j with query %j means %s', (referer, search, source) => {
  expect(sourceOf(referer, search, 'certamen.example')).toBe(source)
})

test('robots are told from people', () => {
  for (const agent of ['Googlebot/2.1', 'WhatsApp/2.23', 'facebookexternalhit/1.1', 'TelegramBot (like TwitterBot)'])
    expect(isRobot(agent), agent).toBe(true)
  for (const agent of [undefined, 'Mozilla/5.0 (Linux; Android 12) Chrome/120 Mobile', 'Mozilla/5.0 [FBAN/FBIOS]'])
    expect(isRobot(agent), agent).toBe(false)
})
