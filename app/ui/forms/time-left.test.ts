import { expect, it } from 'vitest'
import { type SentSample, timeLeftInWords, withSample } from './time-left.ts'

it('estimates the rest of an upload from its last ten seconds, and says nothing before it knows', () => {
  const after = (...sentBySecond: number[]) => {
    let samples: SentSample[] = []
    for (const [second, sent] of sentBySecond.entries()) samples = withSample(samples, { at: second * 1_000, sent })
    return timeLeftInWords(samples, 1_000)
  }
  expect(after(0, 10, 20, 30, 40)).toBeUndefined()
  expect(after(0, 1, 2, 3, 4, 5)).toBe('faltan unos 17 minutos')
  expect(after(0, 20, 40, 60, 80, 100)).toBe('falta menos de un minuto')
  // The line became slower; its fast start no longer counts.
  expect(after(0, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411)).toBe('faltan unos 10 minutos')
  expect(after(5, 5, 5, 5, 5, 5)).toBeUndefined()
})
