import { expect, test } from 'vitest'
import { undoAll } from './undo.ts'

test('a step that fails keeps none of the others from being undone, last things first, each once', async () => {
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
