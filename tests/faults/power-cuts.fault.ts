import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { killEverything, listDatabaseProcesses, listSiteProcesses, sendSignal } from '../support/site/site-processes.ts'
import { checkConsistency, makeVoters, ownConnection } from './consistency.ts'
import { startCrowd } from './crowd.ts'
import { publish } from './publication.ts'
import { withFaultSite } from './site.ts'

const KILL_COUNT = Number(process.env.VECES ?? 10)
const SCREENS = ['/', '/nuestra-historia', '/medios']

test(`kill -9 of everything, ${KILL_COUNT} times under registrations, votes and publishing: nothing lost, nothing half`, () =>
  withFaultSite({}, async (site) => {
    const { dataDir, url } = site
    const voters = await makeVoters(dataDir, KILL_COUNT * 400 + 1_000)
    const crowd = startCrowd({ url, voterCookies: voters, votersAtOnce: 8, registrantsAtOnce: 4 })
    await crowd.advance(20, 2)
    let interruptedCount = 0
    for (let round = 1; round <= KILL_COUNT; round++) {
      const word = `palabra${round}`
      await publish(ownConnection(dataDir), word)
      await sleep(randomInt(50, 1_200))
      const pendingCount = crowd.started.length - crowd.confirmed.size
      await killEverything(site.running)
      if (pendingCount > 0) interruptedCount++
      await site.start()
      await expect
        .poll(() => fetch(url).then((response) => response.text()), { timeout: 240_000, interval: 200 })
        .toContain(word)
      for (const path of SCREENS)
        expect(await fetch(url + path).then((response) => response.text()), path).toContain(word)
      if (round % 10 === 0)
        console.log(
          `  ${round} kills: ${crowd.receipts.size} votes and ${crowd.confirmed.size} registrations confirmed`,
        )
    }
    await crowd.advance(20, 2)
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
    expect(interruptedCount).toBeGreaterThan(KILL_COUNT / 2)
    console.log(
      `  ${KILL_COUNT} kills, ${interruptedCount} in the middle of registrations: ${crowd.receipts.size} votes and ${crowd.confirmed.size} registrations, each there once`,
    )
  }))

test('SIGTERM in the middle of everything, again and again: what was confirmed stays, and each stop ends in order', () =>
  withFaultSite({}, async (site) => {
    const { dataDir, url } = site
    const crowd = startCrowd({
      url,
      voterCookies: await makeVoters(dataDir, 3_000),
      votersAtOnce: 8,
      registrantsAtOnce: 4,
    })
    for (let round = 1; round <= 8; round++) {
      await crowd.advance(5, 1)
      await publish(ownConnection(dataDir), `fin${round}`)
      await sleep(randomInt(20, 600))
      const pidsBefore = await listSiteProcesses(site.running)
      await site.stop()
      expect(site.running.process.exitCode).toBe(0)
      expect((await listSiteProcesses(site.running)).filter((pid) => pidsBefore.includes(pid))).toEqual([])
      await site.start()
    }
    await crowd.advance(5, 1)
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
  }))

test('the site stopped for a minute (SIGSTOP), and then its database: everybody waits, goes on, and nothing is lost', () =>
  withFaultSite({}, async (site) => {
    const { dataDir, url } = site
    const crowd = startCrowd({
      url,
      voterCookies: await makeVoters(dataDir, 5_000),
      votersAtOnce: 8,
      registrantsAtOnce: 4,
    })
    await crowd.advance(20, 2)
    for (const frozenPart of ['site', 'database']) {
      const databasePids = await listDatabaseProcesses(site.running)
      const frozenPids =
        frozenPart === 'database'
          ? databasePids
          : (await listSiteProcesses(site.running)).filter((pid) => !databasePids.includes(pid))
      sendSignal(frozenPids, 'SIGSTOP')
      await sleep(60_000)
      sendSignal(frozenPids, 'SIGCONT')
      await crowd.advance(20, 2)
    }
    await crowd.finish()
    expect(await checkConsistency(dataDir, crowd)).toEqual([])
  }))
