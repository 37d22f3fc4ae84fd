import { expect, test } from 'vitest'
import { mailBackoffMsAfter, serverBackoffMsAfter } from './rules.ts'

test('each attempt waits twice as long as the one before, scattered, and never beyond half an hour', () => {
  expect([1, 2, 3, 4].map((attempts) => mailBackoffMsAfter(attempts, 1))).toEqual([5_000, 10_000, 20_000, 40_000])
  expect(mailBackoffMsAfter(3, 0)).toBe(10_000)
  for (const attempts of [10, 40, 10_000]) expect(mailBackoffMsAfter(attempts, 1)).toBe(30 * 60_000)
})

test('a server that cannot be reached is asked again after a second, and at the latest after a minute', () => {
  expect([1, 2, 3].map((failures) => serverBackoffMsAfter(failures, 1))).toEqual([1_000, 2_000, 4_000])
  expect(serverBackoffMsAfter(1, 0)).toBe(500)
  for (const failures of [7, 1_000]) expect(serverBackoffMsAfter(failures, 1)).toBe(60_000)
})
