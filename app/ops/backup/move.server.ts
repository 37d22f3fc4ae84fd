import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import type pg from 'pg'
import {
  copyOut,
  fixText,
  listDumpedTables,
  readAppliedMigrations,
  readSequences,
  sumOf,
} from '#app/core/db/table-dump.server.ts'
import { hashFile } from '#app/core/process/durable-files.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { listObjectsToBackUp } from './create.server.ts'
import { assertDatabaseEmpty, countRows, loadDatabase } from './load-database.server.ts'
import { countsOf, type RowCounts } from './schema.ts'

const AT_ONCE = 4
const EVERY_MS = 1_000

type ReportProgress = (progress: string) => void

/**
 * Copies a database into another one, possibly of another version of PostgreSQL. If the target has the same content
 * already, nothing is done: so an interrupted move can be repeated.
 * @param migrations folder of the SQL files
 * @returns row counts before and after, tables that differ, and tables that changed during the move
 * @throws StartError when the target holds other data
 */
export async function moveDatabase(
  from: pg.Pool,
  to: pg.Pool,
  migrations: string,
  onProgress: ReportProgress,
): Promise<{ before: RowCounts; after: RowCounts; differingTables: string[]; changedMeanwhile: string[] }> {
  const client = await from.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await fixText(client)
    const tables = []
    for (const table of await listDumpedTables(client)) tables.push({ ...table, ...(await sumOf(client, table)) })
    const base = {
      tablas: tables,
      migraciones: await readAppliedMigrations(client),
      secuencias: await readSequences(client),
    }
    const before = countsOf(tables)
    if (await isSame(to, tables)) {
      onProgress('La base de datos ya estaba del otro lado.')
      return { before, after: await countRows(to), differingTables: [], changedMeanwhile: [] }
    }
    await assertDatabaseEmpty(to)
    const { differingTables } = await loadDatabase(to, base, migrations, onProgress, (table) => copyOut(client, table))
    // Read again in a new snapshot: rows that came in during the move were left behind.
    await client.query('rollback')
    await client.query('begin isolation level repeatable read read only')
    await fixText(client)
    const changedMeanwhile: string[] = []
    for (const table of tables)
      if ((await sumOf(client, table)).sha256 !== table.sha256) changedMeanwhile.push(table.nombre)
    return { before, after: await countRows(to), differingTables, changedMeanwhile }
  } finally {
    await client.query('rollback').catch(() => {})
    client.release()
  }
}

async function isSame(to: pg.Pool, tables: readonly { nombre: string; sha256: string }[]): Promise<boolean> {
  const client = await to.connect()
  try {
    await client.query('begin')
    await fixText(client)
    const there = await listDumpedTables(client)
    if (there.length !== tables.length) return false
    for (const table of there) {
      const wanted = tables.find(({ nombre }) => nombre === table.nombre)
      if ((await sumOf(client, table)).sha256 !== wanted?.sha256) return false
    }
    return true
  } finally {
    await client.query('rollback').catch(() => {})
    client.release()
  }
}

/**
 * Copies every object that a database names into another storage, and verifies its checksum there. Objects that are
 * there already stay.
 * @returns number of objects, number of those copied now, and paths of objects that are missing or damaged
 */
export async function moveObjects(
  pool: pg.Pool,
  from: ObjectStorage,
  to: ObjectStorage,
  folder: string,
  onProgress: ReportProgress,
): Promise<{ objectCount: number; addedCount: number; lostObjects: string[] }> {
  const client = await pool.connect()
  const objects = await listObjectsToBackUp(client, undefined).finally(() => client.release())
  const lost: string[] = []
  let [done, added, saidAt] = [0, 0, Date.now()]
  const one = async ({ bucket, path, sha256 }: (typeof objects)[number]) => {
    const head = await from.head(bucket, path)
    const wanted = sha256 ?? head?.sha256
    const there = await to.head(bucket, path)
    // Metadata proves nothing about the bytes, so the bytes are read.
    const isThere = wanted !== undefined && there?.sha256 === wanted && (await sumIn(to, bucket, path)) === wanted
    if (!isThere) {
      if (head && (await send(from, to, bucket, path, wanted!, head, folder))) added++
      else lost.push(`${bucket}/${path}`)
    }
    done++
    if (Date.now() - saidAt < EVERY_MS) return
    saidAt = Date.now()
    onProgress(`Archivos: ${done} de ${objects.length}.`)
  }
  const limit = pLimit(AT_ONCE)
  await Promise.all(objects.map((object) => limit(one, object)))
  onProgress(`Archivos: ${objects.length - lost.length} de ${objects.length}, ${added} llevados ahora.`)
  return { objectCount: objects.length, addedCount: added, lostObjects: lost }
}

/** @returns false when the object is missing, or does not match its checksum */
async function send(
  from: ObjectStorage,
  to: ObjectStorage,
  bucket: string,
  path: string,
  sha256: string,
  { contentType, cacheControlSeconds }: { contentType: string; cacheControlSeconds: number },
  folder: string,
): Promise<boolean> {
  return withTempFolder(folder, async (work) => {
    const body = await from.get(bucket, path)
    if (!body) return false
    const file = join(work, 'objeto')
    await pipeline(body, createWriteStream(file, { mode: 0o600 }))
    if ((await hashFile(file)) !== sha256) return false
    // A remainder of another move, or a file put there by hand, is replaced.
    if (await to.head(bucket, path)) await to.remove(bucket, path)
    await to.putFile(bucket, path, file, { contentType, cacheControlSeconds, sha256 })
    return (await sumIn(to, bucket, path)) === sha256
  })
}

/** SHA-256 of an object's bytes, read now; undefined when the object is missing. */
async function sumIn(storage: ObjectStorage, bucket: string, path: string): Promise<string | undefined> {
  const body = await storage.get(bucket, path)
  if (!body) return undefined
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}
