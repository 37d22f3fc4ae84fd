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

/** Library of the package libfaketime, which changes the clock that a program reads. */
const LIBRARY_PATH = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

const VOTER_COUNT = 8_000
/** Leaps of the machine's clock, in seconds. */
const LEAPS = [
  ['an hour ahead', 3_600],
  ['an hour back', -3_600],
  ['a year ahead', 365 * 86_400],
  ['a year back', -365 * 86_400],
] as const

beforeAll(() => {
  if (!existsSync(LIBRARY_PATH) && canInstallPackages()) installPackage('libfaketime')
})

// Each site mostly waits, so the four leaps can run at once.
test.concurrent.each(
  LEAPS,
)('the machine’s clock leaps %s during the vote, and is set right again: no vote and no entry is lost, nothing is deleted', async (leapName, seconds) => {
  const offsetFile = join(tmpdir(), `certamen-reloj-${process.pid}-${seconds}`)
  const leap = (offsetSeconds: number) =>
    writeFile(offsetFile, offsetSeconds < 0 ? `${offsetSeconds}` : `+${offsetSeconds}`)
  await leap(0)
  const env = {
    LD_PRELOAD: LIBRARY_PATH,
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: '1',
    // Long waits go by the monotonic clock, which cannot be set.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  await withFaultSite(env, async (site) => {
    const { dataDir, url } = site
    const crowd = startCrowd({
      url,
      voterCookies: await makeVoters(dataDir, VOTER_COUNT),
      votersAtOnce: 6,
      registrantsAtOnce: 2,
      passingReasons: ['cerrada', 'sesion', 'cerrado'],
    })
    await crowd.advance(40, 2)
    const votesBefore = crowd.receipts.size
    await leap(seconds)
    // The wait is long enough for every periodic task to run.
    await sleep(70_000)
    const votesMeanwhile = crowd.receipts.size - votesBefore
    expect((await ask(url)).status).toBe(200)
    // The site starts with the wrong clock, as after a reboot without a network.
    await site.stop()
    await site.start()
    await sleep(15_000)
    const counted = await about(ownConnection(dataDir), (pool) =>
      pool.query('select count(*)::int as n from inscripciones'),
    )
    // Each of the two registrants may have had one more registration confirmed since the query.
    expect(counted.rows[0].n).toBeGreaterThanOrEqual(crowd.confirmed.size - 2)
    await leap(0)
    await site.stop()
    await site.start()
    // Voters whose sessions have ended sign in again.
    await about(ownConnection(dataDir), (pool) => signInVoters(pool, VOTER_COUNT))
    console.log(`  ${leapName}: ${votesMeanwhile} votes meanwhile`)
    await crowd.advance(20, 1, 90_000)
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
  })
})
