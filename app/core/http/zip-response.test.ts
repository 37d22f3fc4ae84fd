import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { zipResponse } from './zip-response.server.ts'

const SIZE = 2_000_000
let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-zip-'))
  file = join(folder, 'foto.png')
  await writeFile(file, Buffer.alloc(SIZE, 7))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** How many descriptors this process has open on the file. */
async function opened(): Promise<number> {
  const names = await readdir('/proc/self/fd')
  const files = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return files.filter((one) => one === file).length
}

const zip = () =>
  zipResponse(
    ['1.png', '2.png'].map((name) => ({
      name,
      size: SIZE,
      lastModified: new Date(),
      open: () => createReadStream(file),
    })),
    false,
    {},
  )

test('a download that is broken off closes the files that it was reading', async () => {
  const readers = Array.from({ length: 5 }, () => zip().body!.getReader())
  for (const reader of readers) {
    let seen = 0
    while (seen < 200_000) seen += (await reader.read()).value!.byteLength
  }
  expect(await opened()).toBe(5)
  for (const reader of readers) await reader.cancel('gone').catch(() => {})
  await expect.poll(opened, { timeout: 10_000 }).toBe(0)
})

test('a whole download has the length that it was told to have, and leaves nothing open', async () => {
  const answer = zip()
  const { byteLength } = await answer.arrayBuffer()
  expect(String(byteLength)).toBe(answer.headers.get('content-length'))
  await expect.poll(opened, { timeout: 10_000 }).toBe(0)
})
