import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { type EmbeddedPostgres, startPostgres } from '#app/core/postgres/embedded.server.ts'
import { isAlive } from '#app/core/process/pid-info.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { ELECTION } from '#tests/support/voting/votes.ts'
import { readResults } from './data.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'

let folder: string
let server: EmbeddedPostgres
let pool: pg.Pool
let services: Services

// This test kills its database server, so it starts a separate one.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-caida-'))
  server = await startPostgres(join(folder, 'postgres'), () => {})
  pool = openPool(server.connection)
  pool.on('error', () => {})
  await migrate(pool, 'db/migrations')
  const clock = { now: () => new Date('2025-09-20T12:00:00-06:00') }
  const storage = await openFolderStorage(folder)
  services = { clock, db: openDatabase(pool), keyed: createKeyDeriver('x'.repeat(40)), storage } as unknown as Services
})
afterAll(async () => {
  await pool.end()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

test('PostgreSQL killed twice in a rush of three processes, one of them killed, too: every confirmed vote is there, and the chain is whole', async () => {
  const said = new Map<string, string>()
  const processes = ['uno', 'dos', 'tres'].map((name) => {
    const args = [
      '--disable-warning=ExperimentalWarning',
      'tests/support/voting/vote-rush.process.ts',
      JSON.stringify(server.connection),
      name,
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [who = '', receipt = ''] = line.split(' ')
      said.set(who, receipt)
    })
    return child
  })
  const heardOf = (name: string) => [...said.keys()].filter((who) => who.startsWith(name)).length
  const hears = (name: string, more: number) => {
    const before = heardOf(name)
    return vi.waitFor(() => expect(heardOf(name)).toBeGreaterThan(before + more), { timeout: 30_000 })
  }
  const killServer = async () => {
    const pid = server.pid()!
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 })
  }
  try {
    await Promise.all(['uno', 'dos', 'tres'].map((name) => hears(name, 200)))
    await killServer()
    processes[0]!.kill('SIGKILL')
    await Promise.all(['dos', 'tres'].map((name) => hears(name, 200)))
    await killServer()
    await Promise.all(['dos', 'tres'].map((name) => hears(name, 200)))
  } finally {
    for (const child of processes) child.kill('SIGKILL')
    await Promise.all(
      processes.map((child) => child.exitCode === null && child.signalCode === null && once(child, 'exit')),
    )
  }
  // The database rolls back within moments the transactions of the killed processes.
  await vi.waitFor(async () => expect(await sealVotes(services, ELECTION)).toBe(0), { timeout: 15_000 })
  const { rows } = await pool.query<{ user_id: string; recibo: string }>(
    'select user_id, recibo from banda_digital_votes',
  )
  const stored = new Map(rows.map(({ user_id, recibo }) => [user_id, recibo]))
  for (const [who, receipt] of said) expect(stored.get(who), who).toBe(receipt)
  const { faults, ballotCount } = await recount(services, ELECTION)
  expect(faults).toEqual([])
  expect(ballotCount).toBe(rows.length)
  expect((await readResults(services, ELECTION)).total).toBe(rows.length)
}, 90_000)
