import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimFile, lockDataDir, runningSite } from './data-folder-lock.server.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-claim-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The test's parent: another process, alive for as long as the test. */
const alive = process.ppid

async function birthOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
}

test('a claim held by a living process is respected, and named', async () => {
  const file = join(folder, 'sitio.pid')
  await writeFile(file, JSON.stringify({ pid: alive, birth: await birthOf(alive), url: 'http://127.0.0.1:3000' }))
  expect(await claimFile(file, 'http://127.0.0.1:3001', 150)).toMatchObject({ pid: alive })
  await expect(lockDataDir(folder, 'http://127.0.0.1:3001')).rejects.toThrow(
    new RegExp(`la usa otro sitio en marcha \\(http://127\\.0\\.0\\.1:3000, proceso ${alive}\\)`),
  )
  await rm(file)
})

test('a waiting process gets the claim as soon as it is released', async () => {
  const file = join(folder, 'construccion.pid')
  await writeFile(file, JSON.stringify({ pid: alive, birth: await birthOf(alive), url: '' }))
  setTimeout(() => rm(file), 250)
  const began = Date.now()
  const release = await claimFile(file, '', 10_000)
  expect(release).toBeTypeOf('function')
  expect(Date.now() - began).toBeGreaterThan(200)
  if (typeof release === 'function') await release()
  expect(await readdir(folder)).toEqual([])
})

test('releasing a claim leaves another claim that has taken its place', async () => {
  const file = join(folder, 'sitio.pid')
  const release = await claimFile(file, '', 150)
  const other = JSON.stringify({ pid: alive, birth: await birthOf(alive), url: '' })
  await writeFile(file, other)
  if (typeof release === 'function') await release()
  expect(await readFile(file, 'utf8')).toBe(other)
  expect(await readdir(folder)).toEqual(['sitio.pid'])
  await rm(file)
})

test.each([
  ['a process that is gone', async () => JSON.stringify({ pid: 2 ** 22 - 1, birth: 'x/1', url: '' })],
  ['an earlier process of the same number', async () => JSON.stringify({ pid: alive, birth: 'x/1', url: '' })],
  ['a full disk, which cut it short', async () => '{"pid":'],
])('a claim left behind by %s is taken over', async (_who, left) => {
  const file = join(folder, 'sitio.pid')
  await writeFile(file, await left())
  const release = await claimFile(file, '', 150)
  expect(release).toBeTypeOf('function')
  if (typeof release === 'function') await release()
})

test('a holder that listens is alive even if its process id is unknown here, also under a long path', async () => {
  const isHeld = async (name: string) => {
    const dataDir = join(folder, name)
    await mkdir(dataDir)
    const release = await lockDataDir(dataDir, 'http://127.0.0.1:3000')
    // As another container reads it: the process id is not in use there.
    const said = JSON.parse(await readFile(join(dataDir, 'sitio.pid'), 'utf8'))
    await writeFile(join(dataDir, 'sitio.pid'), JSON.stringify({ ...said, pid: 2 ** 22 - 1, space: 'x/pid:[1]' }))
    await expect(lockDataDir(dataDir, 'http://127.0.0.1:3001')).rejects.toThrow(/la usa otro sitio en marcha/)
    await release()
    await rm(join(dataDir, 'sitio.pid'), { force: true })
    expect(await readdir(dataDir)).toEqual([])
  }
  // Each claim waits for a while, so both run at once.
  await Promise.all(['corta', 'l'.repeat(150)].map(isHeld))
})

test('a copy of a data folder is claimed although the site of the original runs', async () => {
  const dataDir = join(folder, 'original')
  await mkdir(dataDir)
  const release = await lockDataDir(dataDir, 'http://127.0.0.1:3000')
  await mkdir(join(folder, 'copia'))
  await copyFile(join(dataDir, 'sitio.pid'), join(folder, 'copia/sitio.pid'))
  const other = await lockDataDir(join(folder, 'copia'), 'http://127.0.0.1:3001')
  await other()
  expect(await runningSite(dataDir)).toMatchObject({ url: 'http://127.0.0.1:3000' })
  await release()
  expect(await runningSite(dataDir)).toBeUndefined()
})

test('a process id of another container is no holder when its socket does not answer', async () => {
  const file = join(folder, 'sitio.pid')
  const birth = await birthOf(alive)
  await writeFile(file, JSON.stringify({ pid: alive, birth, url: '', space: 'x/pid:[1]', socket: 'sitio.gone.sock' }))
  const release = await claimFile(file, '', 150)
  expect(release).toBeTypeOf('function')
  if (typeof release === 'function') await release()
})
