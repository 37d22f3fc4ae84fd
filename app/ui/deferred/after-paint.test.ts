import { afterEach, expect, test, vi } from 'vitest'
import { afterPaint, whenIdle } from './after-paint.ts'

afterEach(() => vi.unstubAllGlobals())

test('of several clicks before the next paint, only the last one runs, once, after the paint', async () => {
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

test('whenIdle also runs its work in a browser without requestIdleCallback', async () => {
  vi.stubGlobal('window', {})
  let isDone = false
  whenIdle(() => {
    isDone = true
  })
  expect(isDone).toBe(false)
  await vi.waitFor(() => expect(isDone).toBe(true))
})
