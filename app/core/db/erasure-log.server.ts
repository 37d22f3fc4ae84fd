import { createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import * as v from 'valibot'
import { createFolderDurably, errorCode, writeFileAtomically } from '#app/core/process/durable-files.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openDestination } from '#app/core/storage/open-store.server.ts'
import type { Database } from './database.server.ts'
import type { Tables } from './tables.ts'

// A restored backup is filtered through the erasure log, so that erased people do not come back. A line is written in the
// transaction of the deletion, then copied beside the data and beside the backups, where it outlives the database. The log holds
// keyed hashes. Without the key it shows only the number and the moments of the erasures.

export interface Erasure {
  /** Keyed hash of the erased subject, in hex. */
  huella: string
  /** ISO 8601 time of the erasure or the return. */
  at: string
  /** Whether the line undoes an erasure, since the person came back. */
  vuelve?: boolean
}

const FINGERPRINT_PATTERN = /^[0-9a-f]{64}$/
const ErasureSchema = v.object({
  huella: v.pipe(v.string(), v.regex(FINGERPRINT_PATTERN)),
  at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.check((text) => !Number.isNaN(Date.parse(text))),
  ),
  vuelve: v.optional(v.boolean()),
})

const ERASURE_BUCKET = 'supresiones'
const EXTENSION = '.json'
/** A longer file is not a line of the log, and is not read to its end. */
const MAX_LINE_BYTES = 4_096

/** Returns the log's folder in the data folder, which has one small file per line. */
const folderOf = (dataDir: string) => join(dataDir, 'supresiones')

/** Returns the name of a line's file, which is never rewritten. */
const fileNameOf = ({ huella, at }: Erasure) => `${huella}.${Date.parse(at)}${EXTENSION}`

const lineKeyOf = ({ huella, at, vuelve = false }: Erasure) => `${huella} ${Date.parse(at)} ${vuelve}`

/** Receives the path of a file that is not a line of the log. */
type OnBadFile = (path: string) => void

/**
 * Returns the keyed hash of an erased subject, under which the log lists it.
 * @param key key of the hash, which a site stores in its database
 * @param subject begins with a word for the subject's kind, so that subjects of two kinds never hash alike
 */
export const erasureFingerprint = (key: Uint8Array, ...subject: (string | number | Date)[]): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(subject.map((part) => (part instanceof Date ? part.toISOString() : part))))
    .digest('hex')

/** Joins several logs, without repeated lines. */
export const mergeErasures = (...logs: readonly (readonly Erasure[])[]): Erasure[] => [
  ...new Map(logs.flat().map((line) => [lineKeyOf(line), line])).values(),
]

/** Returns the newest line of each subject that has been erased and has not come back. */
export function erasuresInForce(lines: readonly Erasure[]): Erasure[] {
  const newestLineByFingerprint = new Map<string, Erasure>()
  for (const line of lines) {
    const knownLine = newestLineByFingerprint.get(line.huella)
    if (!knownLine || Date.parse(line.at) > Date.parse(knownLine.at)) newestLineByFingerprint.set(line.huella, line)
  }
  return [...newestLineByFingerprint.values()].filter(({ vuelve }) => !vuelve)
}

type ErasureLogWriter = Pick<Kysely<Tables>, 'selectFrom' | 'insertInto'>

/** Inserts lines from elsewhere into the database's log. Known lines are skipped. */
export async function insertErasures(db: ErasureLogWriter, lines: readonly Erasure[]): Promise<void> {
  const rows = lines.map(({ huella, at, vuelve = false }) => ({ huella, at: new Date(at), vuelve }))
  // PostgreSQL takes at most 65,535 parameters in a statement, and a row has three.
  for (let start = 0; start < rows.length; start += 1_000)
    await db
      .insertInto('supresiones')
      .values(rows.slice(start, start + 1_000))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/**
 * Logs an erasure or a return, in the transaction that performs it, unless the subject's last line already says the same. Without
 * an earlier erasure, a return is not logged.
 */
export async function logErasure(tx: ErasureLogWriter, fingerprint: string, hasReturned = false): Promise<void> {
  const lastLine = await tx
    .selectFrom('supresiones')
    .select(['at', 'vuelve'])
    .where('huella', '=', fingerprint)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (lastLine ? lastLine.vuelve === hasReturned : hasReturned) return
  // A line must be later than the line that it undoes, even if the clock went back.
  const at = new Date(Math.max(Date.now(), lastLine ? lastLine.at.getTime() + 1 : 0))
  await tx
    .insertInto('supresiones')
    .values({ huella: fingerprint, at, vuelve: hasReturned })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Adds the subject's lines to the database's log and, if there are any now, a return that is later than all of them, in the open
 * transaction.
 * @param lines all lines known outside the database
 */
export async function logReturn(client: pg.ClientBase, fingerprint: string, lines: readonly Erasure[]): Promise<void> {
  const subjectLines = lines.filter((line) => line.huella === fingerprint)
  await client.query(
    `insert into supresiones (huella, at, vuelve)
     select $1, (line->>'at')::timestamptz, coalesce((line->>'vuelve')::boolean, false)
     from jsonb_array_elements($2::jsonb) line on conflict do nothing`,
    [fingerprint, JSON.stringify(subjectLines)],
  )
  await client.query(
    `insert into supresiones (huella, at, vuelve)
     select $1, greatest(date_trunc('milliseconds', clock_timestamp()), max(at) + interval '1 millisecond'), true
     from supresiones where huella = $1 having count(*) > 0`,
    [fingerprint],
  )
}

/** Reads the log in the database, the oldest line first. */
export async function readErasuresFromDatabase(db: Database): Promise<Erasure[]> {
  const rows = await db.selectFrom('supresiones').selectAll().orderBy('at').execute()
  return rows.map(({ huella, at, vuelve }) => ({ huella, at: at.toISOString(), ...(vuelve && { vuelve }) }))
}

/** Writes lines durably to the log beside the data. Known lines are skipped. */
export async function writeErasuresBesideData(dataDir: string, lines: readonly Erasure[]): Promise<void> {
  const folder = folderOf(dataDir)
  const existingKeys = new Set((await readErasuresBesideData(dataDir)).map(lineKeyOf))
  for (const line of lines) {
    if (existingKeys.has(lineKeyOf(line))) continue
    const { huella, at, vuelve } = v.parse(ErasureSchema, line)
    await createFolderDurably(folder)
    await writeFileAtomically(join(folder, fileNameOf(line)), JSON.stringify({ huella, at, ...(vuelve && { vuelve }) }))
  }
}

/** Writes lines to the log beside the backups. Known lines are skipped. */
export async function writeErasuresBesideBackups(store: ObjectStorage, lines: readonly Erasure[]): Promise<void> {
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  const existingNames = new Set<string>()
  for await (const path of store.list(ERASURE_BUCKET, '')) existingNames.add(path)
  for (const line of lines)
    if (!existingNames.has(fileNameOf(line)))
      await store
        .putBytes(ERASURE_BUCKET, fileNameOf(line), Buffer.from(JSON.stringify(line)), metadata)
        .catch((error: unknown) => {
          if (!(error instanceof ObjectExistsError)) throw error
        })
}

/** Copies the log beside this process's data and, with BACKUP_URL, beside the site's backups. */
export async function backUpErasures(
  db: Database,
  { backupUrl, dataDir }: Pick<Settings, 'backupUrl' | 'dataDir'>,
): Promise<void> {
  const lines = mergeErasures(await readErasuresFromDatabase(db), await readErasuresBesideData(dataDir))
  await writeErasuresBesideData(dataDir, lines)
  if (backupUrl !== undefined && lines.length > 0)
    await writeErasuresBesideBackups(await openDestination(backupUrl), lines)
}

/**
 * Reads the log beside the data, and reports files that are not lines of the log. Skips hidden files, as `writeFileAtomically`
 * leaves after a power cut. A missing folder is an empty log.
 */
export async function readErasuresBesideData(dataDir: string, onBadFile: OnBadFile = () => {}): Promise<Erasure[]> {
  const folder = folderOf(dataDir)
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error
    return []
  })
  const erasures: Erasure[] = []
  for (const name of names) {
    if (name.startsWith('.')) continue
    const line = await parseLine(name, createReadStream(join(folder, name), { end: MAX_LINE_BYTES }))
    if (line) erasures.push(line)
    else onBadFile(join(folder, name))
  }
  return erasures
}

/** Reads the log beside backups, and reports files that are not lines of the log. */
export async function readErasuresBesideBackups(
  store: ObjectStorage,
  onBadFile: OnBadFile = () => {},
): Promise<Erasure[]> {
  const erasures: Erasure[] = []
  for await (const path of store.list(ERASURE_BUCKET, '')) {
    const body = await store.get(ERASURE_BUCKET, path)
    const line = body && (await parseLine(path, body))
    if (line) erasures.push(line)
    else if (body) onBadFile(`${ERASURE_BUCKET}/${path}`)
  }
  return erasures
}

/**
 * Parses one line.
 * @param name of the line's file; in earlier versions the hash alone, without the moment
 * @returns undefined if the body cannot be read, is too long or no line of the log, or if the file has another line's name
 */
async function parseLine(name: string, body: Readable): Promise<Erasure | undefined> {
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_LINE_BYTES) return undefined
    }
    const line = v.parse(ErasureSchema, JSON.parse(Buffer.concat(chunks).toString()))
    return name === fileNameOf(line) || name === line.huella + EXTENSION ? line : undefined
  } catch {
    return undefined
  } finally {
    body.destroy()
  }
}

/** Reads the key of the log's hashes, which a migration created. */
export async function readErasureKey(db: Database): Promise<Buffer> {
  return (await db.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()).clave
}
