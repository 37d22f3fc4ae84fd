import { expect, test } from 'vitest'
import { typedValue } from './typed-value.ts'

test('every text of a value loses its invisible characters, and other values stay', () => {
  const value = { nombre: 'Zoe\u0301', edad: 21, frases: ['a\u200bb', null] }
  expect(typedValue(value)).toEqual({ nombre: 'Zoé', edad: 21, frases: ['ab', null] })
})
