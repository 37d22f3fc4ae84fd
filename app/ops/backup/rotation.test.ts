import { expect, test } from 'vitest'
import { idsToKeep, ROTATION_RULE } from './rotation.ts'

const DAY_MS = 86_400_000
const nightly = (nights: number) =>
  Array.from({ length: nights }, (_, n) => ({
    id: `n${n}`,
    moment: new Date(Date.parse('2025-09-30T09:00:00Z') - n * DAY_MS),
  }))

test('of two years of nights the last seven days, four weeks and twelve months stay', () => {
  const stay = [...idsToKeep(nightly(730), ROTATION_RULE)].map((id) => Number(id.slice(1)))
  expect(stay.filter((n) => n < 7)).toEqual([0, 1, 2, 3, 4, 5, 6])
  // 30 September 2025 is a Tuesday: weeks end on Sundays.
  for (const sunday of [2, 9, 16]) expect(stay).toContain(sunday)
  // The last night of each month.
  for (const n of [30, 61, 92, 122, 153, 183, 214, 242, 273, 304, 334]) expect(stay).toContain(n)
  // No other backup stays: the oldest of the twelve months, and the current week, are among those above.
  expect(stay.filter((n) => n >= 7)).toEqual([9, 16, 30, 61, 92, 122, 153, 183, 214, 242, 273, 304, 334])
})

test('the newest always stays, and several of one day count once', () => {
  expect([...idsToKeep(nightly(5), { count: 2 })]).toEqual(['n0', 'n1'])
  expect([...idsToKeep(nightly(1), { count: 0 })]).toEqual(['n0'])
  const twice = [
    { id: 'tarde', moment: new Date('2025-09-30T20:00:00Z') },
    { id: 'noche', moment: new Date('2025-09-30T09:00:00Z') },
  ]
  expect([...idsToKeep(twice, { days: 7, weeks: 4, months: 12 })]).toEqual(['tarde'])
})

test('several rules keep every backup that one of them keeps: many of one evening do not displace last month', () => {
  const evening = Array.from({ length: 20 }, (_, n) => ({
    id: `e${n}`,
    moment: new Date(Date.parse('2025-10-01T20:00:00Z') - n * 60_000),
  }))
  const stay = idsToKeep([...evening, ...nightly(60)], { anyOf: [ROTATION_RULE, { count: 14 }] })
  expect([stay.has('e13'), stay.has('e14'), stay.has('n5'), stay.has('n30')]).toEqual([true, false, true, true])
})

test('on the vote’s days one of each hour stays for two days, and one of a day after that', () => {
  const hourly = Array.from({ length: 24 * 10 }, (_, n) => ({
    id: `h${n}`,
    moment: new Date(Date.parse('2025-09-20T20:05:00Z') - n * 3_600_000),
  }))
  const again = { id: 'repetida', moment: new Date('2025-09-20T20:01:00Z') }
  const stay = idsToKeep([...hourly, again], ROTATION_RULE)
  expect(hourly.slice(0, 48).every(({ id }) => stay.has(id))).toBe(true)
  expect([stay.has('repetida'), stay.has('h48')]).toEqual([false, false])
  // The newest of each of the four days before.
  expect(stay.size - 48).toBe(4)
})
