import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { databaseOf, familyOf, killEverything, signal } from '../procesos.ts'
import { startMultitud } from './multitud.ts'
import { publica } from './publicacion.ts'
import { ownConnection, revisa, votantesEn } from './revision.ts'
import { conSitio } from './sitio.ts'

const VECES = Number(process.env.VECES ?? 10)
const SCREENS = ['/', '/nuestra-historia', '/medios']

test(`kill -9 of everything, ${VECES} times under registrations, votes and publishing: nothing lost, nothing half`, () =>
  conSitio({}, async (sitio) => {
    const { dataDir, url } = sitio
    const votantes = await votantesEn(dataDir, VECES * 400 + 1_000)
    const multitud = startMultitud({ url, votantes, votan: 8, registran: 4 })
    await multitud.avanza(20, 2)
    let interrupted = 0
    for (let turn = 1; turn <= VECES; turn++) {
      const word = `palabra${turn}`
      await publica(ownConnection(dataDir), word)
      await sleep(randomInt(50, 1_200))
      const pending = multitud.empezadas.length - multitud.confirmadas.size
      await killEverything(sitio.running)
      if (pending > 0) interrupted++
      await sitio.start()
      await expect
        .poll(() => fetch(url).then((answer) => answer.text()), { timeout: 60_000, interval: 200 })
        .toContain(word)
      for (const path of SCREENS) expect(await fetch(url + path).then((answer) => answer.text()), path).toContain(word)
      if (turn % 10 === 0)
        console.log(
          `  ${turn} kills: ${multitud.recibos.size} votes and ${multitud.confirmadas.size} registrations confirmed`,
        )
    }
    await multitud.avanza(20, 2)
    await multitud.acaba()
    expect(await revisa(dataDir, multitud)).toEqual([])
    expect(interrupted).toBeGreaterThan(VECES / 2)
    console.log(
      `  ${VECES} kills, ${interrupted} in the middle of registrations: ${multitud.recibos.size} votes and ${multitud.confirmadas.size} registrations, each there once`,
    )
  }))

test('SIGTERM in the middle of everything, again and again: what was confirmed stays, and each stop ends in order', () =>
  conSitio({}, async (sitio) => {
    const { dataDir, url } = sitio
    const multitud = startMultitud({
      url,
      votantes: await votantesEn(dataDir, 3_000),
      votan: 8,
      registran: 4,
    })
    for (let turn = 1; turn <= 8; turn++) {
      await multitud.avanza(5, 1)
      await publica(ownConnection(dataDir), `fin${turn}`)
      await sleep(randomInt(20, 600))
      const family = await familyOf(sitio.running)
      await sitio.stop()
      expect(sitio.running.process.exitCode).toBe(0)
      expect((await familyOf(sitio.running)).filter((pid) => family.includes(pid))).toEqual([])
      await sitio.start()
    }
    await multitud.avanza(5, 1)
    await multitud.acaba()
    expect(await revisa(dataDir, multitud)).toEqual([])
  }))

test('the site stopped for a minute (SIGSTOP), and then its database: everybody waits, goes on, and nothing is lost', () =>
  conSitio({}, async (sitio) => {
    const { dataDir, url } = sitio
    const multitud = startMultitud({
      url,
      votantes: await votantesEn(dataDir, 5_000),
      votan: 8,
      registran: 4,
    })
    await multitud.avanza(20, 2)
    for (const which of ['site', 'database']) {
      const database = await databaseOf(sitio.running)
      const frozen =
        which === 'database' ? database : (await familyOf(sitio.running)).filter((pid) => !database.includes(pid))
      signal(frozen, 'SIGSTOP')
      await sleep(60_000)
      signal(frozen, 'SIGCONT')
      await multitud.avanza(20, 2)
    }
    await multitud.acaba()
    expect(await revisa(dataDir, multitud)).toEqual([])
  }))
