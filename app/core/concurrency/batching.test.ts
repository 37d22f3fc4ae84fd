import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batchWork } from './batching.server.ts'

test('items that come in during a run go together in the next run, each with its answer', async () => {
  const runs: number[][] = []
  const double = batchWork(
    async (items: number[]) => {
      runs.push(items)
      await sleep(5)
      return items.map((item) => item * 2)
    },
    { maxConcurrent: 1, maxItems: 3 },
  )
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(runs).toEqual([[1], [2, 3, 4], [5]])
})

test('items of one key never go in the same run, and none is left behind', async () => {
  const runs: string[][] = []
  const say = batchWork(
    async (items: string[]) => {
      runs.push(items)
      await sleep(5)
      return items
    },
    { maxConcurrent: 1, maxItems: 10, keyOf: (item) => item[0]! },
  )
  await Promise.all(['a1', 'b1', 'b2', 'c1', 'b3'].map(say))
  expect(runs).toEqual([['a1'], ['b1', 'c1'], ['b2'], ['b3']])
})

test('a run that fails fails for its items alone', async () => {
  const run = batchWork(
    async (items: number[]) => {
      await sleep(5)
      if (items.includes(2)) throw new Error('no')
      return items
    },
    { maxConcurrent: 1, maxItems: 2 },
  )
  const ended = await Promise.allSettled([1, 2, 3, 4].map(run))
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
})
