import { expect, test } from 'vitest'
import { hasTooManyFields, MAX_FORM_FIELDS } from './form-limits.server.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=x'
const parts = (count: number, head = 'Content-Disposition') =>
  bytes(`${`--x\r\n${head}: form-data; name="a"\r\n\r\n\r\n`.repeat(count)}--x--\r\n`)

test('a form as long as the longest of the site is read', () => {
  expect(hasTooManyFields(bytes('a=1&'.repeat(MAX_FORM_FIELDS)), URLENCODED)).toBe(false)
  expect(hasTooManyFields(parts(MAX_FORM_FIELDS), MULTIPART)).toBe(false)
  expect(hasTooManyFields(bytes(`nota=${'%26'.repeat(80_000)}`), URLENCODED)).toBe(false)
})

test('a form with more fields is not read, in upper or lower case', () => {
  expect(hasTooManyFields(bytes('a&'.repeat(MAX_FORM_FIELDS + 1)), URLENCODED)).toBe(true)
  for (const head of ['Content-Disposition', 'content-disposition', 'CONTENT-DISPOSITION'])
    expect(hasTooManyFields(parts(MAX_FORM_FIELDS + 1, head), MULTIPART)).toBe(true)
})
