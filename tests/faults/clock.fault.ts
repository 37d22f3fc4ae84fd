import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { canInstallPackages, installPackage } from '../../scripts/debian.mjs'
import { signInVoters } from '../support/voting/voters.ts'
import { about, checkConsistency, makeVoters, ownConnection } from './consistency.ts'
import { startCrowd } from './crowd.ts'
import { ask, withFaultSite } from './site.ts'

const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

const VOTERS = 8_000
/** Leaps of the machine's clock, in seconds. */
const LEAPS = [
  ['an hour ahead', 3_600],
  ['an hour back', -3_600],
  ['a year ahead', 365 * 86_400],
  ['a year back', -365 * 86_400],
] as const

beforeAll(() => {
  if (!existsSync(LIBRARY) && canInstallPackages()) installPackage('libfaketime')
})

// Each site mostly waits, so that the four leaps run at once.
test.concurrent.each(
  LEAPS,
)('the machine’s clock leaps %s during the vote, and is set right again: no vote and no entry is lost, nothing is deleted', async (said, seconds) => {
  const file = join(tmpdir(), `certamen-reloj-${process.pid}-${seconds}`)
  const leap = (by: number) => writeFile(file, by < 0 ? `${by}` : `+${by}`)
  await leap(0)
  const env = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    // Long waits go by the monotonic clock, which cannot be set.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  await withFaultSite(env, async (site) => {
    const { dataDir, url } = site
    const crowd = startCrowd({
      url,
      voterCookies: await makeVoters(dataDir, VOTERS),
      votersAtOnce: 6,
      registrantsAtOnce: 2,
      passingReasons: ['cerrada', 'sesion', 'cerrado'],
    })
    await crowd.advance(40, 2)
    const before = crowd.receipts.size
    await leap(seconds)
    // Long enough for every periodic task to run.
    await sleep(70_000)
    const meanwhile = crowd.receipts.size - before
    expect((await ask(url)).status).toBe(200)
    // Starts by the wrong clock, as after a reboot without a network.
    await site.stop()
    await site.start()
    await sleep(15_000)
    const rows = await about(ownConnection(dataDir), (pool) =>
      pool.query('select count(*)::int as n from inscripciones'),
    )
    expect(rows.rows[0].n).toBeGreaterThanOrEqual(crowd.confirmed.size - 2)
    await leap(0)
    await site.stop()
    await site.start()
    // Voters whose sessions ended sign in again.
    await about(ownConnection(dataDir), (pool) => signInVoters(pool, VOTERS))
    console.log(`  ${said}: ${meanwhile} votes meanwhile`)
    await crowd.advance(20, 1, 90_000)
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
  })
})
