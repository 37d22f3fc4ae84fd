import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, servesFolder, startPostgres } from './embedded.server.ts'
import { rotateLog } from './log-rotation.server.ts'

let folder: string
let server: EmbeddedPostgres
const warnings: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-pg-'))
  server = await startPostgres(join(folder, 'postgres'), (message) => warnings.push(message))
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function answers(): Promise<boolean> {
  const client = new pg.Client(server.connection)
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query('select 1')).rowCount === 1
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

test('a server is asked which cluster it runs, and a lock file copied from another cluster is not believed', async () => {
  expect(await servesFolder(join(folder, 'postgres'))).toBe(true)
  const other = join(folder, 'otra')
  await mkdir(other)
  expect(await servesFolder(other)).toBe(false)
  await copyFile(join(folder, 'postgres/postmaster.pid'), join(other, 'postmaster.pid'))
  expect(await servesFolder(other)).toBe(false)
})

test('the server’s log is rotated while the server writes, and its next line begins a new log', async () => {
  const log = join(folder, 'postgres.log')
  const client = new pg.Client(server.connection)
  await client.connect()
  const fail = (word: string) => client.query(`select ${word}`).catch(() => {})
  await fail('antes')
  await expect.poll(() => readFile(log, 'utf8')).toContain('antes')
  await rotateLog(log, 10)
  await fail('despues')
  await client.end()
  await expect.poll(() => readFile(log, 'utf8')).toContain('despues')
  expect(await readFile(log, 'utf8')).not.toMatch(/antes|\0/)
  expect(await readFile(`${log}.1`, 'utf8')).toContain('antes')
  expect((await stat(`${log}.1`)).mode & 0o777).toBe(0o600)
})

test('a server that dies is started again, also where that fails at first', { timeout: 60_000 }, async () => {
  // The server's log cannot be opened, as on a full disk.
  const log = join(folder, 'postgres.log')
  await rename(log, `${log}.aparte`)
  await mkdir(log)
  process.kill(server.pid()!, 'SIGINT')
  await expect.poll(() => warnings.join(), { timeout: 25_000 }).toMatch(/no se pudo iniciar \(EISDIR\)/)
  expect(await answers()).toBe(false)
  await rm(log, { recursive: true })
  await expect.poll(answers, { timeout: 25_000 }).toBe(true)
})
