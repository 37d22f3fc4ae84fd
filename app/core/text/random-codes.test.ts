import { expect, test } from 'vitest'
import { inGroups, randomCode, UNAMBIGUOUS_CHARACTERS } from './random-codes.ts'

test('a code has its length and only its letters', () => {
  expect(randomCode(12, UNAMBIGUOUS_CHARACTERS)).toMatch(/^[2-9A-HJKMNP-TV-Z]{12}$/)
  expect(randomCode(0, UNAMBIGUOUS_CHARACTERS)).toBe('')
  expect(randomCode(5, 'x')).toBe('xxxxx')
})

test('every letter is as likely as the next, also where 256 is no multiple of their number', () => {
  const drawn = 300_000
  const counts = new Map<string, number>()
  for (const letter of randomCode(drawn, UNAMBIGUOUS_CHARACTERS)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect(counts.size).toBe(UNAMBIGUOUS_CHARACTERS.length)
  const expected = drawn / UNAMBIGUOUS_CHARACTERS.length
  // A byte modulo 30 would make 16 of the letters an eighth likelier than the others; chance alone moves a letter by 1 %.
  for (const [letter, count] of counts) expect(Math.abs(count / expected - 1), letter).toBeLessThan(0.06)
})

test('a code is shown in groups', () => {
  expect(inGroups('ABCDEFGHIJKL', 4)).toBe('ABCD-EFGH-IJKL')
  expect(inGroups('ABCDE', 4)).toBe('ABCD-E')
})
