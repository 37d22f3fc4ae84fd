import { expect, test } from 'vitest'
import { isBounded, isEqual, valueAt, withValueAt } from './field-path.ts'

test('values are compared deeply, and names of Object.prototype are no fields', () => {
  expect(isEqual({ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] })).toBe(true)
  expect(isEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(isEqual([1], { 0: 1 })).toBe(false)
  expect(withValueAt({}, ['__proto__', 'x'], 1)).toEqual({})
  expect(({} as { x?: number }).x).toBeUndefined()
  expect(valueAt({}, ['constructor', 'name'])).toBeUndefined()
})

test('a field is set in a copy, added, and removed', () => {
  const value = { lema: 'a', noticias: [{ titulo: 'Uno' }] }
  expect(withValueAt(value, ['noticias', 0, 'titulo'], 'Dos')).toEqual({ lema: 'a', noticias: [{ titulo: 'Dos' }] })
  expect(withValueAt(value, ['nota'], 'b')).toEqual({ ...value, nota: 'b' })
  expect(withValueAt(value, ['lema'], undefined)).toEqual({ noticias: [{ titulo: 'Uno' }] })
  expect(value.noticias[0]!.titulo).toBe('Uno')
})

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

test.each<[string, unknown, boolean]>([
  ['the longest list', Array(500).fill(''), true],
  ['a longer one', Array(501).fill(''), false],
  ['a group of more fields than any', Object.fromEntries(Array.from({ length: 501 }, (_, at) => [at, 1])), false],
  ['the deepest value', nested(12), true],
  ['deeper', nested(13), false],
  ['as deep as a form has room for', nested(120_000), false],
])('%s: is it taken?', (_, value, isTaken) => {
  expect(isBounded(value)).toBe(isTaken)
})
