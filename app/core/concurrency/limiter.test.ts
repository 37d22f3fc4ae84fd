import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKeyedQueue, createLimiter, OverloadedError } from './limiter.server.ts'

/** Work that runs until `end`, and a count of the pieces under way. */
function openWork() {
  const ends: (() => void)[] = []
  const state = { underWay: 0, most: 0 }
  const work = async () => {
    state.most = Math.max(state.most, ++state.underWay)
    await new Promise<void>((resolve) => ends.push(resolve))
    state.underWay--
  }
  return { work, state, end: () => ends.shift()?.() }
}

test('a limiter runs some jobs, keeps some in line, and refuses further jobs at once', async () => {
  const { work, state, end } = openWork()
  const inTurn = createLimiter(2, 3)
  const taken = Array.from({ length: 5 }, () => inTurn(work))
  await expect(inTurn(work)).rejects.toThrow(OverloadedError)
  await sleep(5)
  expect(state.underWay).toBe(2)
  end()
  await taken[0]
  // A place in the line has become free.
  taken.push(inTurn(work))
  for (let turns = 0; turns < 5; turns++) {
    await sleep(5)
    end()
  }
  await Promise.all(taken)
  expect(state).toEqual({ underWay: 0, most: 2 })
})

test('a job that fails gives its place back', async () => {
  const inTurn = createLimiter(1, 0)
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inTurn(() => Promise.resolve(7))).toBe(7)
})

test('jobs of one key run one at a time, in their order; jobs of other keys do not wait', async () => {
  const oneAtATime = createKeyedQueue()
  const said: string[] = []
  const slow = (word: string, ms: number) => async () => {
    said.push(`${word} begins`)
    await sleep(ms)
    said.push(`${word} ends`)
    if (word === 'a') throw new Error('a fails')
  }
  const results = await Promise.allSettled([
    oneAtATime('x', slow('a', 40)),
    oneAtATime('x', slow('b', 1)),
    oneAtATime('y', slow('c', 1)),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(said).toEqual(['a begins', 'c begins', 'c ends', 'a ends', 'b begins', 'b ends'])
})
