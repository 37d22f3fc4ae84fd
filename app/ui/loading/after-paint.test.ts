import { afterEach, expect, test, vi } from 'vitest'
import { afterPaint, whenIdle } from './after-paint.ts'

afterEach(() => vi.unstubAllGlobals())

test('of several presses before the next frame is painted, the last one is done, once, after it', async () => {
  const frames: (() => void)[] = []
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  const done: string[] = []
  for (const press of ['one', 'two']) afterPaint(() => done.push(press))
  expect(frames).toHaveLength(1)
  frames[0]!()
  expect(done).toEqual([])
  await vi.waitFor(() => expect(done).toEqual(['two']))
  afterPaint(() => done.push('three'))
  frames[1]!()
  await vi.waitFor(() => expect(done).toEqual(['two', 'three']))
})

test('a browser that cannot tell when it is idle does it all the same', async () => {
  vi.stubGlobal('window', {})
  let isDone = false
  whenIdle(() => {
    isDone = true
  })
  expect(isDone).toBe(false)
  await vi.waitFor(() => expect(isDone).toBe(true))
})
