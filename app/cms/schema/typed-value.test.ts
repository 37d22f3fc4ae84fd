import { expect, test } from 'vitest'
import { typedValue } from './typed-value.ts'

test('every text of a value is read as it is seen, and all else stays', () => {
  const value = { nombre: 'Zoe\u0301', edad: 21, frases: ['a\u200bb', null] }
  expect(typedValue(value)).toEqual({ nombre: 'Zoé', edad: 21, frases: ['ab', null] })
})
