import { expect, test } from 'vitest'
import { quantity } from '#app/core/text/quantity.ts'

test('one is one, none and many are many, thousands have commas', () => {
  expect([0, 1, 2, 12_345].map((count) => quantity(count, 'voto'))).toEqual([
    '0 votos',
    '1 voto',
    '2 votos',
    '12,345 votos',
  ])
  expect(quantity(3, 'voto anulado', 'votos anulados')).toBe('3 votos anulados')
})
