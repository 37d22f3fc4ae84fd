import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { type PauseMessage, pauseWhileServing } from './pause-while-serving.ts'

test('a process that makes pictures is told when visitors are served, and when they no longer are', async () => {
  const echo = "process.on('message', (said) => process.send(said))"
  const child = spawn(process.execPath, ['-e', echo], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const said: boolean[] = []
  child.on('message', ({ isPausing }: PauseMessage) => said.push(isPausing))
  const end = pauseWhileServing(child)
  try {
    let isServing = true
    // Answers that take half of the time, as in a rush.
    const serve = () => {
      for (const until = performance.now() + 20; performance.now() < until; );
      if (isServing) setTimeout(serve, 20)
    }
    serve()
    await expect.poll(() => said, { timeout: 10_000 }).toEqual([true])
    isServing = false
    await expect.poll(() => said, { timeout: 10_000 }).toEqual([true, false])
  } finally {
    end()
    child.kill()
    await once(child, 'exit')
  }
})
