import { expect, test } from 'vitest'
import { typedText, withoutInvisible } from './typed-text.ts'

/** By code point, since the characters are invisible. */
const UNSEEN = [
  ...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f],
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064],
  ...[0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9],
  ...[0xe0001, 0xe0041, 0xe007f, 0xe0100],
]

test.each(UNSEEN.map((code) => [code.toString(16)]))('U+%s is left out, wherever it stands', (hex) => {
  const sign = String.fromCodePoint(Number.parseInt(hex, 16))
  for (const text of [`${sign}Ana Ruiz`, `Ana Ruiz${sign}`, `Ana ${sign}Ruiz`, `A${sign}${sign}na Ruiz`])
    expect(typedText(text)).toBe('Ana Ruiz')
  expect(typedText(sign)).toBe('')
})

test('characters that look like a space become spaces, and line breaks stay', () => {
  expect(typedText('\u00a0Ana\u00a0Sofía\u202fRuiz\u3000\t')).toBe('Ana Sofía Ruiz')
  expect(typedText('\u2800')).toBe('')
  expect(typedText(' uno\ndos ')).toBe('uno\ndos')
  expect(withoutInvisible('uno ')).toBe('uno ')
})

test.each([
  '❤️',
  '👩‍❤️‍💋‍👨',
  '👩🏽‍🎤',
  '🏳️‍🌈',
  '1️⃣',
  '🇲🇽',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
])('the emoji %s stays whole', (emoji) => {
  expect(typedText(`Reina ${emoji}`)).toBe(`Reina ${emoji}`)
  expect(typedText(`${emoji}\u200b`)).toBe(emoji)
})

test('letters are composed', () => {
  expect(typedText('Zoé Muñoz Peña'.normalize('NFD'))).toBe('Zoé Muñoz Peña'.normalize('NFC'))
})

test('accents heaped on one letter cost no more than as many letters, and those that languages write stay', () => {
  const cost = (text: string) => {
    const began = process.cpuUsage()
    withoutInvisible(text)
    return process.cpuUsage(began).user
  }
  const heap = `a${'\u0323\u0301'.repeat(50_000)}`
  const letters = 'Zoé Muñoz '.normalize('NFD').repeat(8_000)
  cost(letters)
  expect(cost(heap)).toBeLessThan(5 * cost(letters) + 20_000)
  expect(withoutInvisible(heap).length).toBeLessThan(40)
  // Hebrew, Vietnamese, Tibetan.
  for (const text of ['שָּׁ', 'ệ', 'ཧྐྵྨླྺྼྻྂ']) expect(withoutInvisible(text)).toBe(text.normalize('NFC'))
})
