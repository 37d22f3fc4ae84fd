import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keptSecret, keysOf } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { candidateFiles, seedEntry } from '../../tests/inscripciones.ts'
import { type RunningSite, startSite } from '../../tests/running-site.ts'
import { ELECTION, OPEN, voter } from '../../tests/votos.ts'
import type { Figure } from './figure.ts'

const ENTRIES = 1_000
const VOTES = 100_000
/** Random bytes added to each document: six documents an entry make a gigabyte in all. */
const DOCUMENT_BYTES = 170_000
const AT_ONCE = 16
const WATCH_MS = 20

/**
 * Backs up a site with 1,000 entries, a gigabyte of documents and 100,000 votes while votes come in; then restores it elsewhere
 * from the backup alone, counts again and compares row by row.
 */
export async function copyFigures(say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite({ SITE_CLOCK: '2025-09-20T12:20:00-06:00' })
  const folder = await mkdtemp(join(tmpdir(), 'certamen-copias-'))
  const [backup, another] = [join(folder, 'copia'), join(folder, 'otra')]
  const env = { DATA_DIR: site.dataDir, BACKUP_KEY: randomBytes(20).toString('hex') }
  try {
    say(`Sembrando ${ENTRIES} inscripciones y ${VOTES} votos…`)
    await onSite(site, async (services) => {
      await sow(services)
      await vote(services, VOTES)
    })
    const copying = command('respaldo', ['--a', backup, '--json'], env)
    const meanwhile = onSite(site, (services) => vote(services, 2_000))
    const [first] = await Promise.all([copying, meanwhile])
    const second = await command('respaldo', ['--a', backup, '--json'], env)
    await site.stop()
    const restoring = await command('restaurar', [backup, '--en', another, '--json'], env)
    const of = (name: string, { seconds, peakBytes }: Run, atMost?: number): Figure[] => [
      {
        name: `${name}, ${ENTRIES} inscripciones, ${VOTES} votos, 1 GB`,
        value: seconds,
        unit: 's',
        ...(atMost && { target: { atMost } }),
      },
      { name: `${name}: memoria`, value: peakBytes / 1e6, unit: 'MB', ...(atMost && { target: { atMost: 200 } }) },
    ]
    const { cuentas, fallas } = restoring.said as { cuentas: { votos: number }; fallas: string[] }
    return [
      ...of('respaldo cifrado, con votos entrando', first, 60),
      ...of('el siguiente', second),
      ...of('restaurar', restoring),
      { name: 'votos restaurados', value: cuentas.votos, unit: '', target: { atLeast: VOTES + 2_000 } },
      { name: 'filas o archivos que difieren', value: fallas.length, unit: '', target: { atMost: 0 } },
    ]
  } finally {
    await site.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function onSite<Done>(site: RunningSite, work: (services: Services) => Promise<Done>): Promise<Done> {
  const host = join(site.dataDir, 'postgres.sockets')
  const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, AT_ONCE)
  try {
    const settings = readSettings({ DATA_DIR: site.dataDir, PUBLIC_URL: site.url })
    return await work({
      ...{ settings, clock: createClock(), db: openDatabase(pool), log: createLog('silent') },
      storage: await openFolderStorage(site.dataDir),
      keyed: keysOf(await keptSecret(site.dataDir)),
    })
  } finally {
    await pool.end()
  }
}

async function sow(services: Services): Promise<void> {
  const limit = pLimit(4)
  const one = () => {
    const files = candidateFiles()
    for (const file of files) file.body = Buffer.concat([file.body, randomBytes(DOCUMENT_BYTES)])
    return seedEntry(services, { archivos: files })
  }
  await Promise.all(Array.from({ length: ENTRIES }, () => limit(one)))
}

async function vote(services: Services, votes: number): Promise<void> {
  const voting = createVoting({ ...services, clock: { now: () => OPEN } })
  const limit = pLimit(AT_ONCE)
  const one = async (n: number) => {
    const answer = await voting.cast(ELECTION, voter(), { vote: n % 3 })
    if (!answer.ok) throw new Error(answer.reason)
  }
  await Promise.all(Array.from({ length: votes }, (_, n) => limit(one, n)))
}

interface Run {
  seconds: number
  peakBytes: number
  said: Record<string, unknown>
}

/** Runs the command of an npm script. @throws when its exit code is not 0 */
async function command(name: string, args: string[], env: Record<string, string>): Promise<Run> {
  const began = performance.now()
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> }
  const child = spawn(process.execPath, [...scripts[name]!.split(' ').slice(1), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  let peakBytes = 0
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakBytes = Math.max(peakBytes, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024)
  }, WATCH_MS)
  const [code] = await once(child, 'close')
  clearInterval(watch)
  if (code !== 0) throw new Error(`${name}: ${text}`)
  return { seconds: (performance.now() - began) / 1_000, peakBytes, said: JSON.parse(text) }
}
