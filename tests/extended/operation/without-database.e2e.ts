import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startNetworkRelay } from '../../support/site/network-relay.ts'
import { startSite } from '../../support/site/running-site.ts'

test('without its database the site serves its pages from memory, says what is missing, and comes back by itself', async () => {
  const SESSION_SECRET = 's'.repeat(40)
  const first = await startSite({ SESSION_SECRET })
  const relay = await startNetworkRelay(join(first.dataDir, 'postgres.sockets/.s.PGSQL.5432'))
  const DATABASE_URL = `postgresql://certamen@127.0.0.1:${relay.port}/certamen`
  const site = await startSite({ SESSION_SECRET, DATABASE_URL, LOG_LEVEL: 'silent' })
  const answerOf = async (path: string) => {
    const answer = await fetch(site.url + path)
    return [answer.status, await answer.text()] as const
  }
  try {
    await expect.poll(() => answerOf('/readyz')).toEqual([200, 'ok'])
    relay.freeze()
    await expect.poll(() => answerOf('/readyz')).toEqual([503, 'no listo: base de datos'])
    for (const path of ['/', '/candidatas', '/nuestra-historia', '/healthz']) {
      const began = Date.now()
      expect((await answerOf(path))[0], path).toBe(200)
      expect(Date.now() - began, path).toBeLessThan(2_000)
    }
    // A screen that needs the database does not wait for ever.
    const [status, said] = await answerOf('/misspopularidad/sellos.json')
    expect(status).toBeGreaterThanOrEqual(400)
    expect(said).not.toMatch(/127\.0\.0\.1|certamen@/)
    relay.thaw()
    await expect.poll(() => answerOf('/readyz')).toEqual([200, 'ok'])
  } finally {
    relay.thaw()
    await site.stop()
    await relay.stop()
    await first.stop()
  }
})
