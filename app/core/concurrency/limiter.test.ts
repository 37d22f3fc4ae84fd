import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKeyedQueue } from './limiter.server.ts'

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
