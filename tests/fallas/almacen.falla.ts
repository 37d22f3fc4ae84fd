import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openS3Storage } from '#app/core/storage/s3-adapter.server.ts'
import { startRadosgw } from '../../scripts/radosgw.ts'
import { startRelevo } from '../relevo.ts'
import { startMultitud } from './multitud.ts'
import { ownConnection, revisa, sobre, votantesEn } from './revision.ts'
import { conSitio, pide } from './sitio.ts'

const PORT = 19_580
const AWAY_MS = 40_000
const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

test('the storage answers 503, refuses, and hangs: pages and votes go on, a registration waits and is whole, organisers are told', async () => {
  const radosgw = await startRadosgw(PORT)
  const relevo = await startRelevo(PORT)
  Object.assign(process.env, radosgw.env)
  const faulty = radosgw.url.replace(String(PORT), String(relevo.port))
  const storage = openS3Storage(radosgw.url)
  const faults = [
    ['503', () => relevo.refuse(UNAVAILABLE)],
    ['refuses', () => relevo.refuse(undefined)],
    ['hangs', () => relevo.freeze()],
  ] as const
  try {
    await conSitio({ ...radosgw.env, STORAGE_URL: faulty }, async ({ dataDir, url }) => {
      const told = () =>
        sobre(ownConnection(dataDir), (pool) =>
          pool.query<{ kind: string }>(`select kind from correos where kind in ('falla', 'compuesto') order by id`),
        ).then(({ rows }) => rows.map(({ kind }) => kind))
      const multitud = startMultitud({ url, votantes: await votantesEn(dataDir, 6_000), votan: 2, registran: 3 })
      await multitud.avanza(20, 2)
      for (const [said, begin] of faults) {
        begin()
        const before = multitud.recibos.size
        await expect.poll(() => pide(`${url}/readyz`), { timeout: 30_000 }).toMatchObject({ status: 503 })
        for (const path of ['/', '/candidatas', '/misspopularidad', '/registro'])
          expect([path, (await pide(url + path)).status], said).toEqual([path, 200])
        await sleep(AWAY_MS)
        expect(multitud.recibos.size - before, said).toBeGreaterThan(20)
        relevo.refuse(null)
        relevo.thaw()
        await multitud.avanza(20, 2, 90_000)
        await expect.poll(() => pide(`${url}/readyz`), { timeout: 30_000 }).toMatchObject({ status: 200 })
      }
      // One that stays away is told to the organisers by mail, and that it is back.
      relevo.refuse(UNAVAILABLE)
      await expect.poll(told, { timeout: 800_000, interval: 2_000 }).toContain('falla')
      relevo.refuse(null)
      await expect.poll(told, { timeout: 200_000, interval: 2_000 }).toContain('compuesto')
      await multitud.acaba()
      expect(await revisa(dataDir, multitud, { storage })).toEqual([])
    })
  } finally {
    await relevo.stop()
    await radosgw.stop()
  }
})
