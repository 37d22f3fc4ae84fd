import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startJob } from './recurring-job.server.ts'

const silent = { warn: () => {} }

test('a job runs at once or after its first wait, and one run at a time though a run is longer than its period', async () => {
  let running = 0
  let most = 0
  let runs = 0
  const run = async () => {
    runs++
    most = Math.max(most, ++running)
    await sleep(15)
    running--
  }
  const stop = startJob(silent, { name: 'long', everyMs: 1, run })
  expect(runs).toBe(1)
  let late = 0
  const stopLate = startJob(silent, { name: 'late', everyMs: 1, firstDelayMs: 60_000, run: async () => late++ })
  await expect.poll(() => runs).toBeGreaterThan(2)
  await stop()
  expect([most, running]).toEqual([1, 0])
  const before = runs
  await sleep(30)
  expect(runs).toBe(before)
  // A stop cuts the wait for the first run short.
  await stopLate()
  expect(late).toBe(0)
})

test('a job that fails, even at once, is logged by its name and runs again', async () => {
  const lines: object[] = []
  let runs = 0
  const stop = startJob(
    { warn: (line: object) => void lines.push(line) },
    {
      name: 'faulty',
      everyMs: 1,
      run() {
        if (++runs < 3) throw new Error('no answer')
        return Promise.resolve()
      },
    },
  )
  await expect.poll(() => runs).toBeGreaterThan(4)
  await stop()
  expect(lines).toEqual([1, 2].map(() => ({ err: new Error('no answer'), job: 'faulty' })))
})

test('a stop tells the run under way, and waits for it no longer than the patience of the job', async () => {
  let isTold = false
  const run = (stopping: AbortSignal) =>
    new Promise<void>(() => {
      stopping.addEventListener('abort', () => {
        isTold = true
      })
    })
  const stop = startJob(silent, { name: 'stuck', everyMs: 1, maxStopWaitMs: 20, run })
  await stop()
  expect(isTold).toBe(true)
})
