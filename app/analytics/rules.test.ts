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
  // What was opened from another screen stays so, whatever the address carries along.
  ['https://certamen.example/', '?fbclid=x', 'sitio'],
  ['nonsense', '', 'directo'],
] as const)('from %j%s came: %s', (referer, search, source) => {
  expect(sourceOf(referer, search, 'certamen.example')).toBe(source)
})

test('programs are not people', () => {
  for (const agent of ['Googlebot/2.1', 'WhatsApp/2.23', 'facebookexternalhit/1.1', 'TelegramBot (like TwitterBot)'])
    expect(isRobot(agent), agent).toBe(true)
  for (const agent of [undefined, 'Mozilla/5.0 (Linux; Android 12) Chrome/120 Mobile', 'Mozilla/5.0 [FBAN/FBIOS]'])
    expect(isRobot(agent), agent).toBe(false)
})
