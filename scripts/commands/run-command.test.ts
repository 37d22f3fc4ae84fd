import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

test('a resource that does not close changes nothing about the outcome of a command', async () => {
  const script = `
    import { runCommand } from './scripts/commands/run-command.ts'
    await runCommand({ isJson: false }, async (_onProgress, undo) => {
      undo.push(() => Promise.reject(new Error('it does not close')))
      return { ok: true, line: 'El respaldo está hecho.' }
    })`
  // The promise would be rejected for an exit code other than 0.
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', script])
  expect(stdout).toBe('El respaldo está hecho.\n')
  expect(stderr).toContain('it does not close')
})
