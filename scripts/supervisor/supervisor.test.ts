import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import type { BoundSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSupervisor } from './supervisor.ts'

test('a stop while the new version starts is no fault of that version, and its own failure is one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'version-'))
  await mkdir(join(folder, 'scripts'))
  const port = await open('/dev/null')
  /** Changes to a version whose process runs this script. */
  const change = async (script: string, { isStopped = false } = {}) => {
    await writeFile(join(folder, 'scripts/sitio.ts'), script)
    const supervisor = createSupervisor({
      boundPort: { fd: () => port.fd, close() {} } as BoundSocket,
      env: { PATH: process.env.PATH },
      publicUrl: 'http://localhost',
      connection: undefined,
      warn() {},
    })
    const outcome = supervisor.change(folder, {
      startTimeoutMs: 20_000,
      watchMs: 0,
      onProgress() {},
      signal: new AbortController().signal,
      async onServing() {},
    })
    if (isStopped) await supervisor.stop()
    return outcome
  }
  const waitForStop = `process.on('message', ({ que }) => que === 'para' && process.exit())`
  expect(await change(waitForStop, { isStopped: true })).toMatchObject({ volvio: false, isInterrupted: true })
  expect(await change('process.exit(1)')).toMatchObject({ volvio: false, isInterrupted: false })
  await port.close()
  await rm(folder, { recursive: true })
})
