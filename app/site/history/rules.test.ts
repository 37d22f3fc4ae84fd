import { expect, test } from 'vitest'
import { yearsIn } from './rules.ts'

test('finds the years that a text names, each once, in the order of time', () => {
  expect(yearsIn('En 2020 la plaza estaba vacía; la feria de 1926, sin repiques, y 1926 otra vez.')).toEqual([
    '1926',
    '2020',
  ])
})

test('takes no other number for a year', () => {
  expect(yearsIn('Portal Hidalgo 14, 2,025 votos, 1.900 pesos, folio 12025, 3000 sillas y $1950.50')).toEqual([])
})

test('a sentence may end with a year', () => {
  expect(yearsIn('Fue en 1925. Después, 1931, 1932.')).toEqual(['1925', '1931', '1932'])
})
