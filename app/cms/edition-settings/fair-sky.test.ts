import { expect, test } from 'vitest'
import { fairSkyAt } from './fair-sky.server.ts'

const at = (iso: string, coronation = '2025-09-27T20:00:00-06:00') => fairSkyAt(new Date(iso), coronation)

test('dusk at seven, lights at eight until the morning, nothing by day', () => {
  expect(at('2025-09-20T18:59:59-06:00')).toBe(undefined)
  expect(at('2025-09-20T19:00:00-06:00')).toBe('crepusculo')
  expect(at('2025-09-20T20:00:00-06:00')).toBe('luces')
  expect(at('2025-09-21T04:59:59-06:00')).toBe('luces')
  expect(at('2025-09-21T05:00:00-06:00')).toBe(undefined)
})

test('fireworks from the coronation on, embers on the Monday after it', () => {
  expect(at('2025-09-27T19:59:59-06:00')).toBe('crepusculo')
  expect(at('2025-09-27T20:00:00-06:00')).toBe('fuegos')
  expect(at('2025-09-28T00:00:00-06:00')).toBe('luces')
  expect(at('2025-09-28T12:00:00-06:00')).toBe(undefined)
  expect(at('2025-09-29T00:00:00-06:00')).toBe('brasas')
  expect(at('2025-09-29T23:59:59-06:00')).toBe('brasas')
  expect(at('2025-09-30T00:00:00-06:00')).toBe('luces')
  // A final on a Monday has its embers a week later, one on a Sunday the day after.
  expect(at('2025-10-06T12:00:00-06:00', '2025-09-29T20:00:00-06:00')).toBe('brasas')
  expect(at('2025-09-29T12:00:00-06:00', '2025-09-28T20:00:00-06:00')).toBe('brasas')
})
