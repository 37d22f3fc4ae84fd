import { expect, test } from 'vitest'
import { runInSandbox } from './sandbox.server.ts'

test('a sandbox is ended for the processor time that it takes, not for the time that it waits on a busy machine', async () => {
  const [waiting, computing] = await Promise.all([
    runInSandbox('--eval', undefined, ['setTimeout(() => {}, 2_000)'], 1),
    runInSandbox('--eval', undefined, ['for (;;);'], 1),
  ])
  expect(waiting).toMatchObject({ outcome: 'done', isLate: false })
  expect(computing).toMatchObject({ outcome: undefined, isLate: true })
})

test('a sandbox leaves no core dump, in which a document would lie in clear', async () => {
  const limits = 'process.stdout.write(fs.readFileSync("/proc/self/limits"))'
  const { output } = await runInSandbox('--eval', undefined, [limits])
  expect(output.toString()).toMatch(/^Max core file size +0 +0 /m)
})
