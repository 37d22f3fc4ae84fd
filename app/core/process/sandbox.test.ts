import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
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

test.each([
  0, 3,
])('a judgement (exit status %i) of a file that arrived only in part is thrown away', async (exitStatus) => {
  const cutBody = Readable.from(
    (async function* () {
      yield 'the first half'
      throw new Error('The storage hung up')
    })(),
  )
  const program = `process.stdin.resume().on("end", () => { process.exitCode = ${exitStatus} })`
  await expect(runInSandbox('--eval', cutBody, [program])).rejects.toThrow(OverloadedError)
})

test('a program that ends by itself before it has read the file is no overload', async () => {
  const endlessBody = Readable.from(
    (async function* () {
      for (;;) yield Buffer.alloc(65_536)
    })(),
  )
  expect(await runInSandbox('--eval', endlessBody, ['process.exit(1)'])).toMatchObject({ outcome: undefined })
})
