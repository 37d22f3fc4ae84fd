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
  count: number,
  connection = ownConnection(dataDir),
): Promise<Map<string, string>> =>
  about(connection, async (pool) => {
    const cookies = await insertVoters(pool, createKeyDeriver(await readOrCreateSecret(dataDir)), count)
    return new Map(cookies.map((cookie, index) => [`medida-${index + 1}`, cookie]))
  })

/**
 * Waits until every vote is sealed, and compares what the site confirmed with its data. Without `connection` and `storage`, the
 * data are those in the data folder.
 * @returns every difference, as a sentence
 */
export async function checkConsistency(
  dataDir: string,
  { receipts, confirmed, started, oddities }: Crowd,
  { connection = ownConnection(dataDir), storage }: { connection?: pg.PoolConfig; storage?: ObjectStorage } = {},
): Promise<string[]> {
  const usedStorage = storage ?? (await openFolderStorage(dataDir))
  const faults = [...oddities]
  await about(connection, async (pool) => {
    for (const [sql, fault] of [
      ['select 1 from banda_digital_votes where lote is null limit 1', 'votes are not sealed'],
      [`select 1 from publicaciones where estado = 'preparando'`, 'a publication is not finished'],
    ] as const)
      if (!(await waitUntilEmpty(pool, sql))) faults.push(fault)
    const { rows } = await pool.query<{ user_id: string; recibo: string; candidata: string }>(
      'select user_id, recibo, candidata from banda_digital_votes',
    )
    const voteByReceipt = new Map(rows.map((row) => [row.recibo, row]))
    for (const [voter, { receipt, vote }] of receipts) {
      const row = voteByReceipt.get(receipt)
      if (row === undefined) faults.push(`the vote of ${voter} is lost`)
      else if (row.candidata !== ELECTION.candidatas[vote]!.nombre)
        faults.push(`the vote of ${voter} counts for ${row.candidata}`)
    }
    if (new Set(rows.map(({ user_id }) => user_id)).size !== rows.length) faults.push('somebody voted twice')
    faults.push(...(await recountAllChains(openDatabase(pool), createKeyDeriver(await readOrCreateSecret(dataDir)))))
  })
  const storedRegistrations = await readStoredRegistrations(connection)
  for (const registration of started) {
    const ownRows = storedRegistrations.filter((row) => row.celular === registration.valores.celular)
    if (ownRows.length > 1) faults.push(`registered ${ownRows.length} times`)
    if (confirmed.has(registration) || ownRows.length > 0)
      faults.push(...(await findRegistrationFaults(usedStorage, registration, ownRows[0])))
  }
  for (const path of await listStrayObjects(usedStorage, storedRegistrations)) faults.push(`stray object ${path}`)
  return faults
}

/** Longest time until every vote is sealed and every publication is finished. */
const SETTLE_TIMEOUT_MS = 180_000

/** Waits until a query finds no row. @returns false if it still finds one after SETTLE_TIMEOUT_MS */
async function waitUntilEmpty(pool: pg.Pool, sql: string): Promise<boolean> {
  for (const deadlineMs = Date.now() + SETTLE_TIMEOUT_MS; Date.now() < deadlineMs; await sleep(200))
    if ((await pool.query(sql)).rowCount === 0) return true
  return false
}
