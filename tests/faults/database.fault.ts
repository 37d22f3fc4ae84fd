import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { startPostgresServer } from '../support/external-servers/postgres-server.ts'
import { startNetworkRelay } from '../support/site/network-relay.ts'
import { listDatabaseProcesses, sendSignal } from '../support/site/site-processes.ts'
import { checkConsistency, makeVoters } from './consistency.ts'
import { startCrowd } from './crowd.ts'
import { ask, withFaultSite } from './site.ts'

const run = promisify(execFile)

const toConfig = (url: string): pg.PoolConfig => ({ connectionString: url })

test('the database that the site runs is killed, ten times: pages stay, the site starts it again, nothing is lost', () =>
  withFaultSite({}, async ({ dataDir, url, running }) => {
    const crowd = startCrowd({
      url,
      voterCookies: await makeVoters(dataDir, 6_000),
      votersAtOnce: 8,
      registrantsAtOnce: 3,
    })
    for (let round = 1; round <= 10; round++) {
      await crowd.advance(15, 1)
      const pids = await listDatabaseProcesses(running)
      // In odd rounds only the server's first process is killed, in even rounds each of its processes.
      sendSignal(round % 2 === 0 ? pids : pids.slice(0, 1), 'SIGKILL')
      expect((await ask(url)).status).toBe(200)
    }
    await crowd.advance(15, 1)
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
  }))

test('the network of the database goes dead: pages stay, a vote is refused in Spanish, AVISO_URL is not called, and all goes on by itself', async () => {
  const server = await startPostgresServer(['certamen'])
  const relay = await startNetworkRelay(server.port)
  const callTimes: number[] = []
  const watcher = createServer((_request, response) => {
    callTimes.push(Date.now())
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => watcher.once('listening', resolve))
  const { port } = watcher.address() as { port: number }
  const connection = toConfig(server.url('certamen'))
  const env = {
    DATABASE_URL: `postgres://certamen@127.0.0.1:${relay.port}/certamen`,
    AVISO_URL: `http://127.0.0.1:${port}/`,
  }
  try {
    await withFaultSite(env, async ({ dataDir, url }) => {
      const voters = await makeVoters(dataDir, 6_000, connection)
      const [[, cookie]] = voters as unknown as [[string, string]]
      voters.delete('medida-1')
      const crowd = startCrowd({ url, voterCookies: voters, votersAtOnce: 8, registrantsAtOnce: 3 })
      await crowd.advance(20, 2)
      await expect.poll(() => callTimes.length, { timeout: 120_000 }).toBeGreaterThan(0)

      relay.freeze()
      const frozenAtMs = Date.now()
      await expect.poll(() => ask(`${url}/readyz`), { timeout: 120_000 }).toMatchObject({ status: 503 })
      for (const path of ['/', '/candidatas', '/nuestra-historia', '/healthz']) {
        const response = await ask(url + path)
        expect([response.status, path]).toEqual([200, path])
        expect(response.ms).toBeLessThan(5_000)
      }
      const body = new URLSearchParams({ vote: '0', intento: crypto.randomUUID() })
      const voteResponse = await fetch(`${url}/misspopularidad/voto`, { method: 'POST', body, headers: { cookie } })
      const responseText = await voteResponse.text()
      expect(voteResponse.status).toBeGreaterThanOrEqual(500)
      expect(responseText).not.toMatch(/127\.0\.0\.1|ECONN|timeout|postgres/i)
      expect(responseText).toMatch(/Inténtalo de nuevo/)
      await sleep(75_000)
      expect(callTimes.filter((callMs) => callMs > frozenAtMs + 5_000)).toEqual([])

      relay.thaw()
      await crowd.advance(20, 2)
      await expect
        .poll(() => callTimes.filter((callMs) => callMs > frozenAtMs + 80_000).length, { timeout: 130_000 })
        .toBeGreaterThan(0)
      await crowd.finish()
      expect(await checkConsistency(dataDir, crowd, { connection })).toEqual([])
    })
  } finally {
    relay.thaw()
    await relay.stop()
    await server.stop()
    watcher.close()
  }
})

test('the database’s server dies and a second one takes its place: nothing that was confirmed is lost', async () => {
  const firstServer = await startPostgresServer(['certamen'])
  const standby = await firstServer.startStandby()
  const relay = await startNetworkRelay(firstServer.port)
  const connection = toConfig(standby.url('certamen'))
  try {
    await withFaultSite(
      { DATABASE_URL: `postgres://certamen@127.0.0.1:${relay.port}/certamen` },
      async ({ dataDir, url }) => {
        const voters = await makeVoters(dataDir, 4_000, toConfig(firstServer.url('certamen')))
        const crowd = startCrowd({ url, voterCookies: voters, votersAtOnce: 8, registrantsAtOnce: 3 })
        await crowd.advance(40, 3)
        await firstServer.kill()
        await sleep(3_000)
        await standby.promote()
        relay.redirectTo(standby.port)
        await crowd.advance(40, 3)
        await crowd.finish()
        expect(await checkConsistency(dataDir, crowd, { connection })).toEqual([])
      },
    )
  } finally {
    await relay.stop()
    await standby.stop()
    await firstServer.stop()
  }
})

test('a site moves to a server of another major version, and back: everything that was confirmed is there', async () => {
  const server = await startPostgresServer(['mudada'])
  try {
    await withFaultSite({}, async (site) => {
      const { dataDir, url } = site
      const crowd = startCrowd({
        url,
        voterCookies: await makeVoters(dataDir, 2_000),
        votersAtOnce: 8,
        registrantsAtOnce: 3,
      })
      await crowd.advance(100, 6)
      await crowd.finish()
      expect(await checkConsistency(dataDir, crowd)).toEqual([])
      await site.stop()

      const returnFolder = join(dataDir, 'aparte/vuelta')
      const move = (args: string[], env: Record<string, string>) =>
        run('npm', ['run', '--silent', 'mudanza', '--', ...args, '--json'], {
          env: { ...process.env, DATA_DIR: dataDir, ...env },
        }).catch((error: { stdout: string; stderr: string }) => ({ stdout: error.stdout }))
      const outboundMove = await move(['--a', server.url('mudada')], {})
      expect(JSON.parse(outboundMove.stdout), outboundMove.stdout).toMatchObject({
        ok: true,
        fallas: [],
        ahora: { votos: crowd.receipts.size },
      })
      const returnMove = await move(['--a', returnFolder, '--objetos', returnFolder], {
        DATABASE_URL: server.url('mudada'),
      })
      expect(JSON.parse(returnMove.stdout), returnMove.stdout).toMatchObject({
        ok: true,
        fallas: [],
        ahora: { votos: crowd.receipts.size },
      })
      await site.start({ DATA_DIR: returnFolder })
      expect(await checkConsistency(returnFolder, crowd)).toEqual([])
    })
  } finally {
    await server.stop()
  }
})
