import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { type RunningSite, startSite } from '../../support/site/running-site.ts'
import { listProcessesIn, postmasterOf, sendSignal } from '../../support/site/site-processes.ts'

let folder: string
let count = 0
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-parada-'))
})
test.afterAll(() => rm(folder, { recursive: true, force: true }))

/** A data folder that stays after the site, for the checks. */
const freshFolder = () => join(folder, String(++count))

/** Begins requests that never end: headers, forms, forms with files, chunks of files. */
async function beginSlow(site: RunningSite, howMany: number): Promise<Socket[]> {
  const { port } = new URL(site.url)
  const form = 'content-type: multipart/form-data; boundary=x\r\ncontent-length: 900000\r\n\r\n--x\r\n'
  const from = `host: 127.0.0.1:${port}\r\norigin: ${site.url}\r\n`
  const begun = [
    'GET / HTTP/1.1\r\nhost: a\r\nx-slow: ',
    `POST /registro HTTP/1.1\r\n${from}${form}Content-Disposition: form-data; name="nombre"\r\n\r\nLu`,
    `POST /registro-traje-tipico HTTP/1.1\r\n${from}${form}Content-Disposition: form-data; name="a"; filename="a.jpg"\r\n\r\n`,
    `POST /entrar HTTP/1.1\r\n${from}content-type: application/x-www-form-urlencoded\r\ncontent-length: 900\r\n\r\ncorreo=`,
    `POST /subidas HTTP/1.1\r\n${from}tus-resumable: 1.0.0\r\nupload-length: 100000\r\ncontent-length: 90000\r\n\r\nabc`,
  ]
  return Promise.all(
    Array.from({ length: howMany }, async (_, at) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(begun[at % begun.length]!)
      return socket
    }),
  )
}

test('with slow requests open a stop ends them first, and the database last', async () => {
  const site = await startSite({ DATA_DIR: freshFolder() })
  const sockets = await beginSlow(site, 400)
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }, 200)
  await sleep(500)
  const began = Date.now()
  site.process.kill('SIGTERM')
  const [code] = await once(site.process, 'exit')
  const tookMs = Date.now() - began
  clearInterval(drip)
  for (const socket of sockets) socket.destroy()
  expect([code, await listProcessesIn(join(site.dataDir, 'postgres'))]).toEqual([0, []])
  expect(tookMs).toBeLessThan(10_000)
  expect(await readFile(join(site.dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/)
})

test('a second signal during a stop, or a signal during a start, leaves no database', async () => {
  const site = await startSite({ DATA_DIR: freshFolder() })
  const sockets = await beginSlow(site, 20)
  site.process.kill('SIGINT')
  await sleep(1_300)
  site.process.kill('SIGINT')
  await once(site.process, 'exit')
  for (const socket of sockets) socket.destroy()
  expect(await listProcessesIn(join(site.dataDir, 'postgres'))).toEqual([])

  const dataDir = freshFolder()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts'], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' },
    stdio: 'ignore',
  })
  await expect.poll(() => existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(true)
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(await listProcessesIn(join(dataDir, 'postgres'))).toEqual([])
})

test('a database that is told to end at the same moment, as a service manager may do, ends all the same', async () => {
  const site = await startSite({ DATA_DIR: freshFolder() })
  const sockets = await beginSlow(site, 20)
  const all = [site.process.pid!, ...(await listProcessesIn(join(site.dataDir, 'postgres')))]
  for (const pid of all) process.kill(pid, 'SIGTERM')
  const [code] = await once(site.process, 'exit')
  for (const socket of sockets) socket.destroy()
  expect([code, await listProcessesIn(join(site.dataDir, 'postgres'))]).toEqual([0, []])
})

test('a database that hangs is ended all the same', async () => {
  const site = await startSite({ DATA_DIR: freshFolder() })
  const postmaster = await postmasterOf(site)
  const hung = await listProcessesIn(join(site.dataDir, 'postgres'))
  for (const pid of hung) process.kill(pid, 'SIGSTOP')
  // A request that needs the database waits.
  const asked = fetch(`${site.url}/entrar`).catch(() => {})
  await sleep(300)
  const began = Date.now()
  site.process.kill('SIGTERM')
  await once(site.process, 'exit')
  const tookMs = Date.now() - began
  await asked
  expect(tookMs).toBeLessThan(14_000)
  expect(existsSync(`/proc/${postmaster}/cwd`)).toBe(false)
  // The server's children end as soon as they can run.
  sendSignal(
    hung.filter((pid) => pid !== postmaster),
    'SIGCONT',
  )
  await expect.poll(() => listProcessesIn(join(site.dataDir, 'postgres'))).toEqual([])
})
