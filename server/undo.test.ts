import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { markAsLasting, type Undo, undoAll } from './undo.ts'

test('a step that fails does not stop the other steps, which run once each, the last first', async () => {
  const done: string[] = []
  const undo = [
    () => done.push('data folder'),
    async () => {
      done.push('database')
      throw new Error('database')
    },
    () => {
      throw new Error('mail')
    },
    async () => done.push('requests'),
  ]
  await expect(undoAll(undo)).rejects.toThrow('mail')
  expect(done).toEqual(['requests', 'database', 'data folder'])
  await undoAll(undo)
  expect(done).toHaveLength(3)
})

test('steps that hang share one time limit and do not stop the others; a toItsEnd step is waited for', async () => {
  const done: string[] = []
  const hang = () => new Promise<void>(() => {})
  const undo: Undo = [
    () => done.push('data folder'),
    markAsLasting(async () => {
      await sleep(300)
      done.push('database')
    }),
    hang,
    () => done.push('mail'),
    hang,
    hang,
  ]
  const began = performance.now()
  await expect(undoAll(undo, { allMs: 150, stepMs: 100 })).rejects.toThrow('did not end in time')
  expect(done).toEqual(['mail', 'database', 'data folder'])
  expect(performance.now() - began).toBeLessThan(2_000)
})
