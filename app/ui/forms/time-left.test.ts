import { expect, it } from 'vitest'
import { timeLeftInWords } from './time-left.ts'

it('estimates the rest of an upload from the pace so far, and says nothing before it knows', () => {
  expect(timeLeftInWords(4_999, 500, 500)).toBeUndefined()
  expect(timeLeftInWords(60_000, 0, 500)).toBeUndefined()
  expect(timeLeftInWords(5_000, 5, 995)).toBe('faltan unos 17 minutos')
  expect(timeLeftInWords(5_000, 100, 900)).toBe('falta menos de un minuto')
})
