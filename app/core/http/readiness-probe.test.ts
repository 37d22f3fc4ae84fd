import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createReadinessProbe } from './readiness-probe.server.ts'

test('however many ask, each part is asked once, and the answer is kept for a while', async () => {
  let asked = 0
  const readinessProbe = createReadinessProbe({ base: async () => asked++ }, () => {}, { reuseMs: 200 })
  const answers = await Promise.all(Array.from({ length: 60 }, readinessProbe))
  expect(answers.flat()).toEqual([])
  await readinessProbe()
  expect(asked).toBe(1)
  await sleep(250)
  await readinessProbe()
  expect(asked).toBe(2)
})

test('a part that hangs is named, not asked again while it hangs, and ready as soon as it answers', async () => {
  let asked = 0
  let letGo = () => {}
  const told: string[] = []
  const parts = {
    base: async () => {},
    almacenamiento: () => {
      asked++
      return asked > 1 ? Promise.resolve() : new Promise<void>((resolve) => (letGo = resolve))
    },
  }
  const readinessProbe = createReadinessProbe(parts, (_error, part) => told.push(part), { timeoutMs: 30, reuseMs: 40 })
  expect(await readinessProbe()).toEqual(['almacenamiento'])
  await sleep(60)
  expect(await readinessProbe()).toEqual(['almacenamiento'])
  expect([asked, told]).toEqual([1, ['almacenamiento']])
  letGo()
  await sleep(60)
  expect(await readinessProbe()).toEqual([])
})

test('a part that fails is named, and its error is told once for each question', async () => {
  const told: unknown[] = []
  const readinessProbe = createReadinessProbe({ base: () => Promise.reject(new Error('gone')) }, (error) =>
    told.push(error),
  )
  expect(await Promise.all([readinessProbe(), readinessProbe()])).toEqual([['base'], ['base']])
  expect(told).toHaveLength(1)
})
