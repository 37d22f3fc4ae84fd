import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOrCreateSecret } from './session-secret.server.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secreto-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('the secret is made once, for its owner alone, and kept', async () => {
  const secrets = await Promise.all([readOrCreateSecret(folder), readOrCreateSecret(folder)])
  expect(new Set([...secrets, await readOrCreateSecret(folder)]).size).toBe(1)
  expect(secrets[0]!.length).toBeGreaterThanOrEqual(43)
  expect((await stat(join(folder, 'session-secret'))).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['session-secret'])
})

test('a secret that was cut short stops the start with one line', async () => {
  await writeFile(join(folder, 'session-secret'), 'ab')
  await expect(readOrCreateSecret(folder)).rejects.toThrow('está dañado')
})
