import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.server.ts'
import { OverloadedError } from './limiter.server.ts'

/** Lanes over one worker, and the order in which jobs began; each job runs until `drain` ends it. */
function lanes() {
  const run = createFairQueue(1, {
    primero: { maxWaiting: 4, maxWaitingPerKey: 4, weight: 1_000 },
    rapido: { maxWaiting: 30, maxWaitingPerKey: 10, weight: 3 },
    lento: { maxWaiting: 30, maxWaitingPerKey: 10, weight: 1 },
  })
  const begun: string[] = []
  const open: (() => void)[] = []
  const put = (lane: 'primero' | 'rapido' | 'lento', key: string) =>
    run(lane, key, () => {
      begun.push(`${lane} ${key}`)
      return new Promise<void>((resolve) => open.push(resolve))
    })
  /** Ends running jobs one by one, until none is left. */
  const drain = async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    for (let end = open.shift(); end; end = open.shift()) {
      end()
      await turn()
    }
  }
  return { put, begun, drain }
}

test('a job of the first lane waits for the running job, not for jobs that waited before it', async () => {
  const { put, begun, drain } = lanes()
  const all = [...Array.from({ length: 11 }, () => put('lento', 'ajena')), put('primero', 'conocida')]
  await drain()
  await Promise.all(all)
  expect(begun.slice(0, 3)).toEqual(['lento ajena', 'primero conocida', 'lento ajena'])
})

test('within a lane the keys take turns, and the slower lane is never forgotten', async () => {
  const { put, begun, drain } = lanes()
  const all = ['a', 'a', 'a', 'a', 'b', 'c'].map((key) => put('rapido', key))
  all.push(...Array.from({ length: 2 }, () => put('lento', 'd')))
  await drain()
  await Promise.all(all)
  expect(begun.filter((one) => one.startsWith('rapido')).map((one) => one.at(-1))).toEqual([
    'a',
    'a',
    'b',
    'c',
    'a',
    'a',
  ])
  expect(begun.indexOf('lento d')).toBeLessThan(4)
})

test('a full lane, and a key with its part of a lane, refuse a job at once; a job that fails gives its place back', async () => {
  const run = createFairQueue(1, { uno: { maxWaiting: 3, maxWaitingPerKey: 2, weight: 1 } })
  let end = () => {}
  const first = run(
    'uno',
    'a',
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  const [second, third] = [
    run('uno', 'a', async () => {
      throw new Error('fails')
    }),
    run('uno', 'a', async () => 3),
  ]
  await expect(run('uno', 'a', async () => 4)).rejects.toThrow(OverloadedError)
  const other = run('uno', 'b', async () => 5)
  await expect(run('uno', 'c', async () => 6)).rejects.toThrow(OverloadedError)
  end()
  await first
  await expect(second).rejects.toThrow('fails')
  expect(await Promise.all([third, other])).toEqual([3, 5])
  expect(await run('uno', 'c', async () => 7)).toBe(7)
})

test('a key has its places and no more, though no other key waits; a place rests before its next job', async () => {
  let rested = false
  const restMs = (workedMs: number) => {
    setTimeout(() => {
      rested = true
    }, 30)
    return Math.max(40, workedMs)
  }
  const run = createFairQueue(9, {
    uno: { maxWaiting: 9, maxWaitingPerKey: 9, weight: 1, cap: { maxConcurrent: 1, restMs } },
  })
  const begun: string[] = []
  const put = (key: string) =>
    run('uno', key, async () => {
      begun.push(`${key} ${rested ? 'rested' : 'at once'}`)
    })
  await Promise.all([put('a'), put('a'), put('b')])
  expect(begun).toEqual(['a at once', 'b at once', 'a rested'])
})

test('a job that has waited too long is given up, and leaves its place in the line', async () => {
  const run = createFairQueue(1, { uno: { maxWaiting: 1, maxWaitingPerKey: 1, weight: 1, maxWaitMs: 20 } })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = run('uno', 'a', () => promise)
  await expect(run('uno', 'a', async () => 2)).rejects.toThrow(OverloadedError)
  const third = run('uno', 'a', async () => 3)
  resolve()
  await first
  expect(await third).toBe(3)
})
