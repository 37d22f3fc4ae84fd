import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { canInstallPackages, installPackage } from '../../scripts/debian.mjs'
import { signInVoters } from '../papeletas.ts'
import { startMultitud } from './multitud.ts'
import { ownConnection, revisa, sobre, votantesEn } from './revision.ts'
import { conSitio, pide } from './sitio.ts'

const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

const VOTERS = 8_000
/** How far the machine's clock leaps, in seconds. */
const LEAPS = [
  ['an hour ahead', 3_600],
  ['an hour back', -3_600],
  ['a year ahead', 365 * 86_400],
  ['a year back', -365 * 86_400],
] as const

test.each(
  LEAPS,
)('the machine’s clock leaps %s during the vote, and is set right again: no vote and no entry is lost, nothing is deleted', async (said, seconds) => {
  if (!existsSync(LIBRARY) && canInstallPackages()) installPackage('libfaketime')
  const file = join(tmpdir(), `certamen-reloj-${process.pid}-${seconds}`)
  const leap = (by: number) => writeFile(file, by < 0 ? `${by}` : `+${by}`)
  await leap(0)
  const env = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    // What waits for so long a time waits by a clock that nobody sets.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  await conSitio(env, async (sitio) => {
    const { dataDir, url } = sitio
    const multitud = startMultitud({
      url,
      votantes: await votantesEn(dataDir, VOTERS),
      votan: 6,
      registran: 2,
      pasan: ['cerrada', 'sesion', 'cerrado'],
    })
    await multitud.avanza(40, 2)
    const before = multitud.recibos.size
    await leap(seconds)
    // So long that every turn of what goes by time has come.
    await sleep(70_000)
    const meanwhile = multitud.recibos.size - before
    expect((await pide(url)).status).toBe(200)
    // A start by the wrong clock, as after a reboot without a network.
    await sitio.stop()
    await sitio.start()
    await sleep(15_000)
    const rows = await sobre(ownConnection(dataDir), (pool) =>
      pool.query('select count(*)::int as n from inscripciones'),
    )
    expect(rows.rows[0].n).toBeGreaterThanOrEqual(multitud.confirmadas.size - 2)
    await leap(0)
    await sitio.stop()
    await sitio.start()
    // Whoever was signed out signs in again.
    await sobre(ownConnection(dataDir), (pool) => signInVoters(pool, VOTERS))
    console.log(`  ${said}: ${meanwhile} votes meanwhile`)
    await multitud.avanza(20, 1, 90_000)
    await multitud.acaba()
    expect(await revisa(dataDir, multitud)).toEqual([])
  })
})
