import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { ownConnection } from '../../tests/fallas/revision.ts'
import { killEverything, memoryOf } from '../../tests/procesos.ts'
import { freePort, type RunningSite, startSite } from '../../tests/running-site.ts'
import {
  faultsOf,
  newRegistration,
  type Registration,
  readStoredRegistrations,
  sendForm,
  sendRegistration,
  strayObjects,
} from '../../tests/solicitudes.ts'
import type { Figure } from './figure.ts'
import { openWeakLine } from './weak-line.ts'

const MB = 1_000_000
const CUTS = 5
const LINE_BITS_PER_SECOND = 5_000_000
const REGISTRATION_BYTES = 60 * MB

const KILLS = 10
const REGISTRATIONS_PER_KILL = 20
const FILE_BYTES = 100_000

/** A registration of 60 MB through a line of 5 Mbps that is cut five times, in the middle of its files. */
export async function weakLineFigures(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-linea-'))
  const patience = AbortSignal.timeout(15 * 60_000)
  let site: RunningSite | undefined
  try {
    site = await startSite({ DATA_DIR: dataDir })
    // Memory that the first registration takes for good is not counted.
    await sendRegistration(site.url, newRegistration(200_000), patience)
    await sleep(1_000)
    const line = await openWeakLine(await freePort(), Number(new URL(site.url).port), LINE_BITS_PER_SECOND)
    const before = await memoryOf(site)
    let most = before
    let watching = true
    const watch = (async () => {
      while (watching) {
        most = Math.max(most, await memoryOf(site!))
        await sleep(100)
      }
    })()
    let cuts = 0
    const cutter = setInterval(() => {
      if (cuts < CUTS && line.sentBytes() > ((cuts + 1) * REGISTRATION_BYTES) / (CUTS + 1))
        line.cut({ silent: cuts++ % 2 === 1, downMs: 1_500 })
    }, 50)
    const registration = newRegistration(REGISTRATION_BYTES / 6)
    const began = performance.now()
    await sendRegistration(line.url, registration, patience)
    const seconds = (performance.now() - began) / 1_000
    clearInterval(cutter)
    watching = false
    await watch
    const sent = line.sentBytes()
    await line.close()
    const stored = await readStoredRegistrations(ownConnection(dataDir))
    const own = stored.find((one) => one.celular === registration.valores.celular)
    const faults = await faultsOf(await openFolderStorage(dataDir), registration, own)
    if (cuts !== CUTS) faults.push(`the line was cut ${cuts} times`)
    if (faults.length > 0) throw new Error(`The registration is not whole: ${faults.join('; ')}`)
    const ideal = (REGISTRATION_BYTES * 8) / LINE_BITS_PER_SECOND
    return [
      {
        name: 'registro de 60 MB, línea de 5 Mbps cortada cinco veces: bytes de más',
        value: (sent / REGISTRATION_BYTES - 1) * 100,
        unit: '%',
        target: { atMost: 3 },
      },
      {
        name: 'el mismo: memoria que crece el servidor',
        value: (most - before) / MB,
        unit: 'MB',
        target: { atMost: 100 },
      },
      {
        name: 'el mismo: duración',
        value: seconds,
        unit: 's',
        baseline: { name: 'la línea sin cortes ni pérdidas', value: ideal },
      },
    ]
  } finally {
    await site?.stop().catch(() => {})
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Kills everything ten times (kill -9) while twenty registrations run, and then checks each confirmed registration. */
export async function killFigures(say: (line: string) => void): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-kill-'))
  let site: RunningSite | undefined
  const all: Registration[] = []
  const confirmed = new Set<string>()
  const broken: string[] = []
  let interrupted = 0

  /** Begins twenty registrations at once, a quarter of them as plain forms. */
  const launch = (signal: AbortSignal): Promise<PromiseSettledResult<void>[]> => {
    const { url } = site!
    const batch = Array.from({ length: REGISTRATIONS_PER_KILL }, () => newRegistration(FILE_BYTES))
    all.push(...batch)
    return Promise.allSettled(
      batch.map(async (registration, at) => {
        await (at % 4 === 0 ? sendForm : sendRegistration)(url, registration, signal)
        // A confirmation that arrived counts, however close the kill was.
        confirmed.add(registration.entrega)
      }),
    )
  }

  try {
    site = await startSite({ DATA_DIR: dataDir })
    // Measures how long twenty registrations take undisturbed after a start, so that each kill falls into their work.
    let batchMs = 0
    for (let run = 0; run < 2; run++) {
      const began = performance.now()
      for (const outcome of await launch(AbortSignal.timeout(120_000)))
        if (outcome.status === 'rejected') throw new Error('Refused before any kill', { cause: outcome.reason })
      batchMs = Math.max(batchMs, performance.now() - began)
    }

    for (let round = 1; round <= KILLS; round++) {
      const before = confirmed.size
      const kill = new AbortController()
      const batch = launch(kill.signal)
      await sleep(randomInt(Math.ceil(batchMs * 0.05), Math.ceil(batchMs)))
      await killEverything(site)
      kill.abort()
      await batch
      const confirmedNow = confirmed.size - before
      if (confirmedNow < REGISTRATIONS_PER_KILL) interrupted++
      site = await startSite({ DATA_DIR: dataDir })
      const stored = await readStoredRegistrations(ownConnection(dataDir))
      for (const registration of all) {
        const own = stored.filter((one) => one.celular === registration.valores.celular)
        if (own.length > 1) broken.push(`round ${round}: registered ${own.length} times`)
        if (!confirmed.has(registration.entrega) && own.length === 0) continue
        for (const fault of await faultsOf(await openFolderStorage(dataDir), registration, own[0]))
          broken.push(`round ${round}: ${fault}`)
      }
      for (const path of await strayObjects(await openFolderStorage(dataDir), stored))
        broken.push(`round ${round}: stray object ${path}`)
      say(`  corte ${round}: ${confirmedNow} confirmados, ${stored.length} guardados en total, ${broken.length} faltas`)
    }
    if (broken.length > 0) say(`  ${[...new Set(broken)].slice(0, 10).join('\n  ')}`)
    return [
      {
        name: `${KILLS} × kill -9 de todo con ${REGISTRATIONS_PER_KILL} registros en marcha: faltas en ${confirmed.size} confirmados`,
        value: broken.length,
        unit: '',
        target: { atMost: 0 },
      },
      { name: 'cortes que cayeron en medio del trabajo', value: interrupted, unit: `de ${KILLS}` },
    ]
  } finally {
    await site?.stop().catch(() => {})
    await rm(dataDir, { recursive: true, force: true })
  }
}
