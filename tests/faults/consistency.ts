import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { createKeyDeriver, readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { recountAllChains } from '#app/voting/chain/recount.server.ts'
import {
  findRegistrationFaults,
  listStrayObjects,
  readStoredRegistrations,
} from '../support/entries/registrations-over-http.ts'
import { makeVoters as insertVoters } from '../support/voting/voters.ts'
import { ELECTION } from '../support/voting/votes.ts'
import type { Crowd } from './crowd.ts'

/** Connection to the database that a site runs itself. */
export const ownConnection = (dataDir: string): pg.PoolConfig => ({
  host: join(dataDir, 'postgres.sockets'),
  port: 5432,
  user: 'certamen',
  database: 'certamen',
})

/** Opens a pool for `work`, and closes it afterwards. */
export async function about<Result>(
  connection: pg.PoolConfig,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const pool = openPool(connection, 2)
  pool.on('error', () => {})
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

/** Creates signed-in voters. @returns their cookies, by voter */
export const makeVoters = (
  dataDir: string,
  quantity: number,
  connection = ownConnection(dataDir),
): Promise<Map<string, string>> =>
  about(connection, async (pool) => {
    const cookies = await insertVoters(pool, createKeyDeriver(await readOrCreateSecret(dataDir)), quantity)
    return new Map(cookies.map((cookie, at) => [`medida-${at + 1}`, cookie]))
  })

/**
 * Compares the site's confirmations with its data, once every vote is sealed.
 * @returns every difference, as a sentence
 */
export async function checkConsistency(
  dataDir: string,
  { receipts, confirmed, started, oddities }: Crowd,
  { connection = ownConnection(dataDir), storage }: { connection?: pg.PoolConfig; storage?: ObjectStorage } = {},
): Promise<string[]> {
  const kept = storage ?? (await openFolderStorage(dataDir))
  const faults = [...oddities]
  await about(connection, async (pool) => {
    for (const [sql, said] of [
      ['select 1 from banda_digital_votes where lote is null limit 1', 'votes are not sealed'],
      [`select 1 from publicaciones where estado = 'preparando'`, 'a publication is not finished'],
    ] as const)
      if (!(await endsEmpty(pool, sql))) faults.push(said)
    const { rows } = await pool.query<{ user_id: string; recibo: string; candidata: string }>(
      'select user_id, recibo, candidata from banda_digital_votes',
    )
    const votes = new Map(rows.map((row) => [row.recibo, row]))
    for (const [who, { receipt, vote }] of receipts) {
      const row = votes.get(receipt)
      if (row === undefined) faults.push(`the vote of ${who} is lost`)
      else if (row.candidata !== ELECTION.candidatas[vote]!.nombre)
        faults.push(`the vote of ${who} counts for ${row.candidata}`)
    }
    if (new Set(rows.map(({ user_id }) => user_id)).size !== rows.length) faults.push('somebody voted twice')
    faults.push(...(await recountAllChains(openDatabase(pool), createKeyDeriver(await readOrCreateSecret(dataDir)))))
  })
  const stored = await readStoredRegistrations(connection)
  for (const registration of started) {
    const own = stored.filter((one) => one.celular === registration.valores.celular)
    if (own.length > 1) faults.push(`registered ${own.length} times`)
    if (confirmed.has(registration) || own.length > 0)
      faults.push(...(await findRegistrationFaults(kept, registration, own[0])))
  }
  for (const path of await listStrayObjects(kept, stored)) faults.push(`stray object ${path}`)
  return faults
}

const SETTLED_MS = 180_000

/** Whether a query finds nothing more within SETTLED_MS. */
async function endsEmpty(pool: pg.Pool, sql: string): Promise<boolean> {
  for (const end = Date.now() + SETTLED_MS; Date.now() < end; await sleep(200))
    if ((await pool.query(sql)).rowCount === 0) return true
  return false
}
