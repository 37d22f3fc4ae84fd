import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sweepTempFolders, withTempFolder } from './temp-folders.server.ts'

let within: string
beforeEach(async () => {
  within = await mkdtemp(join(tmpdir(), 'certamen-pasajeros-'))
  return () => rm(within, { recursive: true })
})

const WAITS = `
  import { writeFile } from 'node:fs/promises'
  import { runCommand } from './scripts/commands/run-command.ts'
  import { withTempFolder } from './app/core/storage/temp-folders.server.ts'
  await runCommand({ json: false }, async (dice, undo) => {
    undo.push(() => console.error('undone'))
    return withTempFolder(${JSON.stringify('@')}, async (folder) => {
      await writeFile(folder + '/secreto', 'x')
      dice('ready')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
      return { ok: true, line: 'Hecho.' }
    })
  })`

/** A command at work with a temporary folder. */
async function command() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WAITS.replace('@', within)], { stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    said.err += chunk
    if (said.err.includes('ready')) break
  }
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  return { child, said }
}

test.each([
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
] as const)('%s ends a command with 1, a line, and nothing left', async (signal) => {
  const { child, said } = await command()
  expect(await readdir(within)).toHaveLength(1)
  const ended = once(child, 'close')
  child.kill(signal)
  expect((await ended)[0]).toBe(1)
  expect(said.out).toMatch(/^Interrumpido: .*\n$/)
  expect(said.err).toContain('undone')
  expect(await readdir(within)).toEqual([])
})

test('the next command removes the folder of a killed command; folders in use, or of unseen processes, stay', async () => {
  const killed = await command()
  const alive = await command()
  const ended = once(killed.child, 'close')
  killed.child.kill('SIGKILL')
  await ended
  expect(await readdir(within)).toHaveLength(2)
  for (const name of ['.certamen-abcdef', '.certamen-000000-7-000000-abcdef', '.certamen-antes'])
    await mkdir(join(within, name))
  await writeFile(join(within, 'otro'), '')
  const mine = (await readdir(within)).filter((name) => name.includes(`-${alive.child.pid}-`))
  const stays = [...mine, 'otro', '.certamen-000000-7-000000-abcdef', '.certamen-antes']
  await withTempFolder(within, async () => {})
  expect((await readdir(within)).toSorted()).toEqual([...stays, '.certamen-abcdef'].toSorted())
  const longAgo = new Date(Date.now() - 25 * 3_600_000)
  for (const name of ['.certamen-abcdef', '.certamen-000000-7-000000-abcdef'])
    await utimes(join(within, name), longAgo, longAgo)
  await sweepTempFolders(within)
  expect((await readdir(within)).toSorted()).toEqual([...mine, 'otro', '.certamen-antes'].toSorted())
  const gone = once(alive.child, 'close')
  alive.child.kill('SIGTERM')
  await gone
})
