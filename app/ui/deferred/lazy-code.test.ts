import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lazyCode } from './lazy-code.ts'

// Fake timers would stop animation frames, too, so `afterNextPaint` resolves at once here.
vi.mock('./after-paint.ts', () => ({ afterNextPaint: () => Promise.resolve() }))

const line = { onLine: true }
const device = new EventTarget()

beforeEach(() => {
  vi.useFakeTimers()
  line.onLine = true
  vi.stubGlobal('navigator', line)
  vi.stubGlobal('addEventListener', device.addEventListener.bind(device))
  vi.stubGlobal('removeEventListener', device.removeEventListener.bind(device))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Code whose import succeeds at the given attempt, counted from 1. */
const comesAt = (turn: number) => {
  let tries = 0
  return {
    tries: () => tries,
    ...lazyCode(async () => {
      if (++tries < turn) throw new Error('It was cut off')
      return { done: true }
    }),
  }
}

test('loaded code is available at once and is not requested again', async () => {
  const tool = comesAt(1)
  expect(tool.loaded()).toBeUndefined()
  expect(await tool.fetch()).toEqual({ done: true })
  expect(tool.loaded()).toEqual({ done: true })
  await tool.load()
  expect(tool.tries()).toBe(1)
})

test('preload() ignores a failure, and load() reports it after one attempt', async () => {
  const tool = comesAt(9)
  tool.preload()
  await vi.advanceTimersByTimeAsync(0)
  await expect(tool.load()).rejects.toThrow('It was cut off')
  expect(tool.tries()).toBe(2)
})

test('fetch() makes four attempts before it gives up', async () => {
  const waiting: string[] = []
  const late = comesAt(4)
  const fetched = late.fetch({ onWaiting: (why) => waiting.push(why) })
  await vi.advanceTimersByTimeAsync(7_000)
  expect(await fetched).toEqual({ done: true })
  expect(waiting).toEqual(['retrying', 'retrying', 'retrying'])

  const never = comesAt(9)
  const missing = never.fetch()
  await vi.advanceTimersByTimeAsync(7_000)
  expect(await missing).toBeUndefined()
  expect(never.tries()).toBe(4)
})

test('fetch() waits while the device is offline, and continues as soon as it is online', async () => {
  line.onLine = false
  const waiting: string[] = []
  const tool = comesAt(4)
  const fetched = tool.fetch({ onWaiting: (why) => waiting.push(why) })
  await vi.advanceTimersByTimeAsync(31_000)
  expect([tool.tries(), ...waiting]).toEqual([3, 'offline', 'offline', 'offline'])
  line.onLine = true
  device.dispatchEvent(new Event('online'))
  expect(await fetched).toEqual({ done: true })
})

test('an aborted signal stops fetch()', async () => {
  const gone = new AbortController()
  const tool = comesAt(9)
  const fetched = tool.fetch({ signal: gone.signal })
  await vi.advanceTimersByTimeAsync(100)
  gone.abort(new Error('gone'))
  await expect(fetched).rejects.toThrow('gone')
  expect(tool.tries()).toBe(1)
})
