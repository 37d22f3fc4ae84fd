import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { createLiveResults } from './live-results.server.ts'

let site: TestSite

beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

/** The text that a watcher receives within so many milliseconds. */
async function watch(liveResults: ReturnType<typeof createLiveResults>, forMs: number): Promise<string> {
  const leave = new AbortController()
  void setTimeout(forMs).then(() => leave.abort())
  return new Response(liveResults.stream(leave.signal, async () => true)).text()
}

/** Watches until the results have come, however long their first reading takes. */
async function watchUntilResults(liveResults: ReturnType<typeof createLiveResults>): Promise<string> {
  const leave = new AbortController()
  let received = ''
  for await (const bytes of liveResults.stream(leave.signal, async () => true)) {
    received += Buffer.from(bytes).toString()
    if (received.includes('data:')) leave.abort()
  }
  return received
}

test('a new watcher is not sent results of before while they cannot be read, even from a reading that outlived its watcher', async () => {
  const liveResults = createLiveResults(site.services)
  expect(await watchUntilResults(liveResults)).toContain('"total":0')

  // The lock keeps the reading waiting until its watcher has left.
  const client = await site.database.pool.connect()
  await client.query('begin; lock table votos_por_hora in access exclusive mode')
  expect(await watch(liveResults, 300)).not.toContain('data:')
  await client.query('rollback')
  // The reading ends, however long it takes, before the results cannot be read.
  const countReadings = async () => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*) from pg_stat_activity where state = 'active' and query like '%votos_por_hora%' and pid <> pg_backend_pid()`,
    )
    return rows[0]!.count
  }
  await expect.poll(countReadings).toBe(0)
  await setTimeout(500)
  await client.query('alter table votos_por_hora rename to votos_por_hora_lejos')
  client.release()
  expect(await watch(liveResults, 1_500)).not.toContain('data:')
})

test('a visitor who has left before the stream begins is not watched for', async () => {
  const liveResults = createLiveResults(site.services)
  expect(await new Response(liveResults.stream(AbortSignal.abort(), async () => true)).text()).toBe('')
})
