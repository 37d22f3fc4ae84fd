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
    for (let turn = 1; turn <= 10; turn++) {
      await crowd.advance(15, 1)
      const family = await listDatabaseProcesses(running)
      // By turns the server's first process alone, and all of its processes.
      sendSignal(turn % 2 === 0 ? family : family.slice(0, 1), 'SIGKILL')
      expect((await ask(url)).status).toBe(200)
    }
    await crowd.advance(15, 1)
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
  }))

test('the network of the database goes dead: pages stay, a vote is refused in Spanish, AVISO_URL is not called, and all goes on by itself', async () => {
  const server = await startPostgresServer(['certamen'])
  const relay = await startNetworkRelay(server.port)
  const calls: number[] = []
  const watcher = createServer((_request, response) => {
    calls.push(Date.now())
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
      await expect.poll(() => calls.length, { timeout: 120_000 }).toBeGreaterThan(0)

      relay.freeze()
      const frozen = Date.now()
      await expect.poll(() => ask(`${url}/readyz`), { timeout: 120_000 }).toMatchObject({ status: 503 })
      for (const path of ['/', '/candidatas', '/nuestra-historia', '/healthz']) {
        const answer = await ask(url + path)
        expect([answer.status, path]).toEqual([200, path])
        expect(answer.ms).toBeLessThan(5_000)
      }
      const body = new URLSearchParams({ vote: '0', intento: crypto.randomUUID() })
      const vote = await fetch(`${url}/misspopularidad/voto`, { method: 'POST', body, headers: { cookie } })
      const said = await vote.text()
      expect(vote.status).toBeGreaterThanOrEqual(500)
      expect(said).not.toMatch(/127\.0\.0\.1|ECONN|timeout|postgres/i)
      expect(said).toMatch(/Inténtalo de nuevo/)
      await sleep(75_000)
      expect(calls.filter((at) => at > frozen + 5_000)).toEqual([])

      relay.thaw()
      await crowd.advance(20, 2)
      await expect
        .poll(() => calls.filter((at) => at > frozen + 80_000).length, { timeout: 130_000 })
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
  const first = await startPostgresServer(['certamen'])
  const second = await first.startStandby()
  const relay = await startNetworkRelay(first.port)
  const connection = toConfig(second.url('certamen'))
  try {
    await withFaultSite(
      { DATABASE_URL: `postgres://certamen@127.0.0.1:${relay.port}/certamen` },
      async ({ dataDir, url }) => {
        const voters = await makeVoters(dataDir, 4_000, toConfig(first.url('certamen')))
        const crowd = startCrowd({ url, voterCookies: voters, votersAtOnce: 8, registrantsAtOnce: 3 })
        await crowd.advance(40, 3)
        await first.kill()
        await sleep(3_000)
        await second.promote()
        relay.redirectTo(second.port)
        await crowd.advance(40, 3)
        await crowd.finish()
        expect(await checkConsistency(dataDir, crowd, { connection })).toEqual([])
      },
    )
  } finally {
    await relay.stop()
    await second.stop()
    await first.stop()
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

      const wayBack = join(dataDir, 'aparte/vuelta')
      const move = (args: string[], env: Record<string, string>) =>
        run('npm', ['run', '--silent', 'mudanza', '--', ...args, '--json'], {
          env: { ...process.env, DATA_DIR: dataDir, ...env },
        }).catch((error: { stdout: string; stderr: string }) => ({ stdout: error.stdout }))
      const there = await move(['--a', server.url('mudada')], {})
      expect(JSON.parse(there.stdout), there.stdout).toMatchObject({
        ok: true,
        fallas: [],
        ahora: { votos: crowd.receipts.size },
      })
      const back = await move(['--a', wayBack, '--objetos', wayBack], {
        DATABASE_URL: server.url('mudada'),
      })
      expect(JSON.parse(back.stdout), back.stdout).toMatchObject({
        ok: true,
        fallas: [],
        ahora: { votos: crowd.receipts.size },
      })
      await site.start({ DATA_DIR: wayBack })
      expect(await checkConsistency(wayBack, crowd)).toEqual([])
    })
  } finally {
    await server.stop()
  }
})
