import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { ownConnection } from '#tests/faults/consistency.ts'
import {
  findRegistrationFaults,
  newRegistration,
  readStoredRegistrations,
  sendRegistration,
} from '#tests/support/entries/registrations-over-http.ts'
import { freePort, type RunningSite, startSite } from '#tests/support/site/running-site.ts'
import { memoryOf } from '#tests/support/site/site-processes.ts'
import type { Figure } from './figure.ts'
import { openWeakLine } from './weak-line.ts'

const MB = 1_000_000
const CUT_COUNT = 5
const LINE_BITS_PER_SECOND = 5_000_000
const REGISTRATION_BYTES = 60 * MB

/** Measures a registration of 60 MB over a line of 5 Mbps that is cut five times on the way. @throws if it is not stored whole */
export async function measureRegistration(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-linea-'))
  const timeout = AbortSignal.timeout(15 * 60_000)
  let site: RunningSite | undefined
  try {
    site = await startSite({ DATA_DIR: dataDir })
    // The first registration is not measured, since it takes memory that the site keeps.
    await sendRegistration(site.url, newRegistration(200_000), timeout)
    await sleep(1_000)
    const line = await openWeakLine(await freePort(), Number(new URL(site.url).port), LINE_BITS_PER_SECOND)
    const bytesBefore = await memoryOf(site)
    let peakBytes = bytesBefore
    let isWatching = true
    const watching = (async () => {
      while (isWatching) {
        peakBytes = Math.max(peakBytes, await memoryOf(site!))
        await sleep(100)
      }
    })()
    let cutsDone = 0
    const cutTimer = setInterval(() => {
      if (cutsDone < CUT_COUNT && line.sentBytes() > ((cutsDone + 1) * REGISTRATION_BYTES) / (CUT_COUNT + 1))
        line.cut({ isSilent: cutsDone++ % 2 === 1, downMs: 1_500 })
    }, 50)
    const registration = newRegistration(REGISTRATION_BYTES / 6)
    const startedAtMs = performance.now()
    await sendRegistration(line.url, registration, timeout)
    const seconds = (performance.now() - startedAtMs) / 1_000
    clearInterval(cutTimer)
    isWatching = false
    await watching
    const sentBytes = line.sentBytes()
    await line.close()
    const storedRegistrations = await readStoredRegistrations(ownConnection(dataDir))
    const storedRegistration = storedRegistrations.find(({ celular }) => celular === registration.valores.celular)
    const faults = await findRegistrationFaults(await openFolderStorage(dataDir), registration, storedRegistration)
    if (cutsDone !== CUT_COUNT) faults.push(`the line was cut ${cutsDone} times`)
    if (faults.length > 0) throw new Error(`The registration is not whole: ${faults.join('; ')}`)
    const idealSeconds = (REGISTRATION_BYTES * 8) / LINE_BITS_PER_SECOND
    return [
      {
        name: 'registro de 60 MB, línea de 5 Mbps cortada cinco veces: bytes de más',
        value: (sentBytes / REGISTRATION_BYTES - 1) * 100,
        unit: '%',
        target: { atMost: 3 },
      },
      {
        name: 'el mismo: memoria que crece el servidor',
        value: (peakBytes - bytesBefore) / MB,
        unit: 'MB',
        target: { atMost: 100 },
      },
      {
        name: 'el mismo: duración',
        value: seconds,
        unit: 's',
        baseline: { name: 'la línea sin cortes ni pérdidas', value: idealSeconds },
      },
    ]
  } finally {
    await site?.stop().catch(() => {})
    await rm(dataDir, { recursive: true, force: true })
  }
}
