import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { noteRefusal } from '#app/core/http/refusal-events.server.ts'
import { queueMails } from '#tests/support/mail/queued-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { createRegistry, startMetrics } from './metrics.ts'
import { type Undo, undoAll } from './undo.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const figure = (text: string, line: string) =>
  Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length + 1) ?? Number.NaN,
  )

test('requests are counted by kind and status, from memory or not, also when the visitor disconnects', async () => {
  const undo: Undo = []
  const { registry, requestMetrics } = createRegistry(site.services, site.database.pool, undo)
  const server = createServer(
    requestMetrics.around((request, response) => {
      if (request.url === '/') response.end('portada')
      else if (request.url === '/misspopularidad/voto') setImmediate(() => response.writeHead(409).end())
      else if (request.url === '/registro') setImmediate(() => request.socket.destroy())
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (let count = 0; count < 3; count++) await (await fetch(url)).text()
  await (await fetch(`${url}/misspopularidad/voto`, { method: 'POST' })).text()
  await fetch(`${url}/registro`).catch(() => {})
  await expect.poll(async () => (await registry.metrics()).includes('estado="499"')).toBe(true)
  const text = await registry.metrics()
  const count = (kind: string, state: number) =>
    figure(text, `certamen_peticiones_segundos_count{clase="${kind}",estado="${state}"}`)
  expect([count('memoria', 200), count('voto', 409), count('registro', 499)]).toEqual([3, 1, 1])
  expect(figure(text, 'certamen_peticiones_segundos_bucket{le="+Inf",clase="memoria",estado="200"}')).toBe(3)
  server.close()
  await undoAll(undo)
})

test('metrics cover mail, votes, disk, database and refusals by reason; without METRICS_PORT there are none', async () => {
  const { services, database } = site
  expect(await startMetrics(services, database.pool, [])).toBeUndefined()
  const undo: Undo = []
  const metrics = { port: 0, host: '127.0.0.1' }
  await queueMails(services.db, 2)
  const { registry } = createRegistry({ ...services, settings: { ...services.settings, metrics } }, database.pool, undo)
  noteRefusal({ area: 'voto', reason: 'repetido' })
  const text = await registry.metrics()
  expect(figure(text, 'certamen_rechazos_total{de="voto",motivo="repetido"}')).toBe(1)
  expect(figure(text, 'certamen_correo_en_cola')).toBe(2)
  expect(figure(text, 'certamen_base_responde')).toBe(1)
  expect(figure(text, 'certamen_votos')).toBe(0)
  expect(figure(text, 'certamen_disco_bytes{de="libres"}')).toBeGreaterThan(0)
  expect(figure(text, 'certamen_conexiones{de="abiertas"}')).toBeGreaterThan(0)
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
  expect(text).toMatch(/^certamen_copia_segundos Nan$/im)
  await undoAll(undo)
})

test('a database that does not answer is a metric, too', async () => {
  const { services } = site
  // Nothing listens at the discard port.
  const db = openDatabase(openPool('postgres://nadie@127.0.0.1:9/nada', 1))
  const undo: Undo = []
  const { registry } = createRegistry({ ...services, db }, undefined, undo)
  const text = await registry.metrics()
  expect(figure(text, 'certamen_base_responde')).toBe(0)
  await undoAll(undo)
})
