import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { databaseOf, signal } from '../procesos.ts'
import { startRelevo } from '../relevo.ts'
import { startMultitud } from './multitud.ts'
import { revisa, votantesEn } from './revision.ts'
import { startServidor } from './servidor.ts'
import { conSitio, pide } from './sitio.ts'

const run = promisify(execFile)

const toConfig = (url: string): pg.PoolConfig => ({ connectionString: url })

test('the database that the site runs is killed, ten times: pages stay, the site starts it again, nothing is lost', () =>
  conSitio({}, async ({ dataDir, url, running }) => {
    const multitud = startMultitud({ url, votantes: await votantesEn(dataDir, 6_000), votan: 8, registran: 3 })
    for (let turn = 1; turn <= 10; turn++) {
      await multitud.avanza(15, 1)
      const family = await databaseOf(running)
      // Its first process alone, then all of them.
      signal(turn % 2 === 0 ? family : family.slice(0, 1), 'SIGKILL')
      expect((await pide(url)).status).toBe(200)
    }
    await multitud.avanza(15, 1)
    await multitud.acaba()
    expect(await revisa(dataDir, multitud)).toEqual([])
  }))

test('the network of the database goes dead: pages stay, a vote is told in Spanish, whoever watches is not called, and all goes on by itself', async () => {
  const server = await startServidor(['certamen'])
  const relevo = await startRelevo(server.port)
  const calls: number[] = []
  const watcher = createServer((_request, response) => {
    calls.push(Date.now())
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => watcher.once('listening', resolve))
  const { port } = watcher.address() as { port: number }
  const connection = toConfig(server.url('certamen'))
  const env = {
    DATABASE_URL: `postgres://certamen@127.0.0.1:${relevo.port}/certamen`,
    AVISO_URL: `http://127.0.0.1:${port}/`,
  }
  try {
    await conSitio(env, async ({ dataDir, url }) => {
      const votantes = await votantesEn(dataDir, 6_000, connection)
      const [[, cookie]] = votantes as unknown as [[string, string]]
      votantes.delete('medida-1')
      const multitud = startMultitud({ url, votantes, votan: 8, registran: 3 })
      await multitud.avanza(20, 2)
      await expect.poll(() => calls.length, { timeout: 30_000 }).toBeGreaterThan(0)

      relevo.freeze()
      const frozen = Date.now()
      await expect.poll(() => pide(`${url}/readyz`), { timeout: 30_000 }).toMatchObject({ status: 503 })
      for (const path of ['/', '/candidatas', '/nuestra-historia', '/healthz']) {
        const answer = await pide(url + path)
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

      relevo.thaw()
      await multitud.avanza(20, 2)
      await expect
        .poll(() => calls.filter((at) => at > frozen + 80_000).length, { timeout: 130_000 })
        .toBeGreaterThan(0)
      await multitud.acaba()
      expect(await revisa(dataDir, multitud, { connection })).toEqual([])
    })
  } finally {
    relevo.thaw()
    await relevo.stop()
    await server.stop()
    watcher.close()
  }
})

test('the database’s server dies and a second one takes its place: nothing that was confirmed is lost', async () => {
  const first = await startServidor(['certamen'])
  const second = await first.standby()
  const relevo = await startRelevo(first.port)
  const connection = toConfig(second.url('certamen'))
  try {
    await conSitio(
      { DATABASE_URL: `postgres://certamen@127.0.0.1:${relevo.port}/certamen` },
      async ({ dataDir, url }) => {
        const votantes = await votantesEn(dataDir, 4_000, toConfig(first.url('certamen')))
        const multitud = startMultitud({ url, votantes, votan: 8, registran: 3 })
        await multitud.avanza(40, 3)
        await first.kill()
        await sleep(3_000)
        await second.promote()
        relevo.leadTo(second.port)
        await multitud.avanza(40, 3)
        await multitud.acaba()
        expect(await revisa(dataDir, multitud, { connection })).toEqual([])
      },
    )
  } finally {
    await relevo.stop()
    await second.stop()
    await first.stop()
  }
})

test('a site moves to a server of another major version, and back: everything that was confirmed is there', async () => {
  const server = await startServidor(['mudada'])
  try {
    await conSitio({}, async (sitio) => {
      const { dataDir, url } = sitio
      const multitud = startMultitud({ url, votantes: await votantesEn(dataDir, 2_000), votan: 8, registran: 3 })
      await multitud.avanza(100, 6)
      await multitud.acaba()
      expect(await revisa(dataDir, multitud)).toEqual([])
      await sitio.stop()

      const vuelta = join(dataDir, 'aparte/vuelta')
      const move = (args: string[], env: Record<string, string>) =>
        run('npm', ['run', '--silent', 'mudanza', '--', ...args, '--json'], {
          env: { ...process.env, DATA_DIR: dataDir, ...env },
        }).catch((error: { stdout: string; stderr: string }) => ({ stdout: error.stdout }))
      const there = await move(['--a', server.url('mudada')], {})
      expect(JSON.parse(there.stdout), there.stdout).toMatchObject({
        ok: true,
        fallas: [],
        ahora: { votos: multitud.recibos.size },
      })
      const back = await move(['--a', vuelta, '--objetos', vuelta], {
        DATABASE_URL: server.url('mudada'),
      })
      expect(JSON.parse(back.stdout), back.stdout).toMatchObject({
        ok: true,
        fallas: [],
        ahora: { votos: multitud.recibos.size },
      })
      await sitio.start({ DATA_DIR: vuelta })
      expect(await revisa(vuelta, multitud)).toEqual([])
    })
  } finally {
    await server.stop()
  }
})
