import { describe, expect, test } from 'vitest'
import { linesOf } from './rules.ts'

describe('lines of a card', () => {
  test('each begins with an asterisk', () => {
    expect(linesOf('* Cose sin dedal\n* Guarda los tenis')).toEqual(['Cose sin dedal', 'Guarda los tenis'])
    expect(linesOf('*Cose sin dedal *Guarda los tenis')).toEqual(['Cose sin dedal', 'Guarda los tenis'])
  })
  test('one may go on in the next row', () => {
    expect(linesOf('* Consiguió becas para\n  cuarenta y una')).toEqual(['Consiguió becas para cuarenta y una'])
  })
  test('none is empty', () => {
    expect(linesOf('** Cose sin dedal\n*\n* ')).toEqual(['Cose sin dedal'])
    expect(linesOf(' ')).toEqual([])
  })
  test('a text without asterisks is one line', () => {
    expect(linesOf('Cose sin dedal')).toEqual(['Cose sin dedal'])
  })
})
