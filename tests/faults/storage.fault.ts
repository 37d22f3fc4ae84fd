import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openS3Storage } from '#app/core/storage/s3-adapter.server.ts'
import { startRadosgw } from '../support/external-servers/radosgw.ts'
import { startNetworkRelay } from '../support/site/network-relay.ts'
import { about, checkConsistency, makeVoters, ownConnection } from './consistency.ts'
import { startCrowd } from './crowd.ts'
import { ask, withFaultSite } from './site.ts'

const PORT = 19_580
const OUTAGE_MS = 40_000
const UNAVAILABLE_RESPONSE = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

test('the storage answers 503, refuses, and hangs: pages and votes go on, a registration waits and is whole, organisers are told', async () => {
  const radosgw = await startRadosgw(PORT)
  const relay = await startNetworkRelay(PORT)
  Object.assign(process.env, radosgw.env)
  const relayedUrl = radosgw.url.replace(String(PORT), String(relay.port))
  const storage = openS3Storage(radosgw.url)
  const faults = [
    ['503', () => relay.refuse(UNAVAILABLE_RESPONSE)],
    ['refuses', () => relay.refuse(undefined)],
    ['hangs', () => relay.freeze()],
  ] as const
  try {
    await withFaultSite({ ...radosgw.env, STORAGE_URL: relayedUrl }, async ({ dataDir, url }) => {
      const listNoticeKinds = () =>
        about(ownConnection(dataDir), (pool) =>
          pool.query<{ kind: string }>(`select kind from correos where kind in ('falla', 'compuesto') order by id`),
        ).then(({ rows }) => rows.map(({ kind }) => kind))
      const crowd = startCrowd({
        url,
        voterCookies: await makeVoters(dataDir, 6_000),
        votersAtOnce: 2,
        registrantsAtOnce: 3,
      })
      await crowd.advance(20, 2)
      for (const [faultName, beginFault] of faults) {
        beginFault()
        const votesBefore = crowd.receipts.size
        await expect.poll(() => ask(`${url}/readyz`), { timeout: 120_000 }).toMatchObject({ status: 503 })
        for (const path of ['/', '/candidatas', '/misspopularidad', '/registro'])
          expect([path, (await ask(url + path)).status], faultName).toEqual([path, 200])
        await sleep(OUTAGE_MS)
        expect(crowd.receipts.size - votesBefore, faultName).toBeGreaterThan(20)
        relay.refuse(null)
        relay.thaw()
        await crowd.advance(20, 2, 90_000)
        await expect.poll(() => ask(`${url}/readyz`), { timeout: 120_000 }).toMatchObject({ status: 200 })
      }
      // A long outage is reported to the organisers by mail, and so is its end.
      relay.refuse(UNAVAILABLE_RESPONSE)
      await expect.poll(listNoticeKinds, { timeout: 800_000, interval: 2_000 }).toContain('falla')
      relay.refuse(null)
      await expect.poll(listNoticeKinds, { timeout: 200_000, interval: 2_000 }).toContain('compuesto')
      await crowd.finish()
      expect(await checkConsistency(dataDir, crowd, { storage })).toEqual([])
    })
  } finally {
    await relay.stop()
    await radosgw.stop()
  }
})
