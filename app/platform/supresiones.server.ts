import { createHmac } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Database } from './database.server.ts'
import { errorCode, makeFolder, writeWhole } from './durable-files.server.ts'
import type { Settings } from './env.server.ts'
import { openPlace } from './open-storage.server.ts'
import { ObjectExistsError, type ObjectStorage } from './storage.server.ts'

/**
 * The ledger of deletions, kept outside the database: what is restored later goes through it, so that nobody who asked to
 * be gone comes back. It holds keyed hashes; whoever has the ledger alone learns how many there are, and when.
 */

export interface Supresion {
  /** Keyed hash of what was deleted, in hex. */
  huella: string
  /** ISO moment. */
  at: string
}

/** Where the ledger lies beside the data, one small file each. */
const folderOf = (dataDir: string) => join(dataDir, 'supresiones')
const BUCKET = 'supresiones'
const EXTENSION = '.json'

/** @param clave the site's own, out of its database @param sobre what is deleted, so that nothing else has the same words */
export const huellaDeSupresion = (clave: Uint8Array, ...sobre: (string | number | Date)[]): string =>
  createHmac('sha256', clave)
    .update(JSON.stringify(sobre.map((one) => (one instanceof Date ? one.toISOString() : one))))
    .digest('hex')

/** Writes a deletion down beside the data, durable when it resolves; once more changes nothing. */
export async function noteSupresion(dataDir: string, huella: string, at: Date): Promise<void> {
  const folder = folderOf(dataDir)
  await makeFolder(folder)
  const supresion: Supresion = { huella, at: at.toISOString() }
  await writeWhole(join(folder, huella + EXTENSION), JSON.stringify(supresion))
}

/** Writes deletions down beside the backups, each once. */
export async function keepSupresiones(store: ObjectStorage, supresiones: readonly Supresion[]): Promise<void> {
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  const there = new Set<string>()
  for await (const path of store.list(BUCKET, '')) there.add(path)
  for (const supresion of supresiones)
    if (!there.has(supresion.huella + EXTENSION))
      await store
        .putBytes(BUCKET, supresion.huella + EXTENSION, Buffer.from(JSON.stringify(supresion)), metadata)
        .catch((error: unknown) => {
          if (!(error instanceof ObjectExistsError)) throw error
        })
}

/** Takes the ledger beside the data to where the site's own backups are, if there are any. */
export async function llevaSupresiones({ backupUrl, dataDir }: Pick<Settings, 'backupUrl' | 'dataDir'>): Promise<void> {
  if (backupUrl !== undefined) await keepSupresiones(await openPlace(backupUrl), await readSupresiones(dataDir))
}

/** Takes a line out of the ledger: whom it names is there again, and wants to be. */
export async function quitaSupresion(dataDir: string, stores: readonly ObjectStorage[], huella: string): Promise<void> {
  await rm(join(folderOf(dataDir), huella + EXTENSION), { force: true })
  for (const store of stores) await store.remove(BUCKET, huella + EXTENSION)
}

/** The ledger beside the data. */
export async function readSupresiones(dataDir: string): Promise<Supresion[]> {
  const names = await readdir(folderOf(dataDir)).catch((error: unknown): string[] => {
    if (errorCode(error) !== 'ENOENT') throw error
    return []
  })
  const wanted = names.filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
  return Promise.all(wanted.map(async (name) => JSON.parse(await readFile(join(folderOf(dataDir), name), 'utf8'))))
}

/** The ledger beside backups. */
export async function readSupresionesOf(store: ObjectStorage): Promise<Supresion[]> {
  const supresiones: Supresion[] = []
  for await (const path of store.list(BUCKET, '')) {
    const body = await store.get(BUCKET, path)
    if (body) supresiones.push(JSON.parse(await text(body)))
  }
  return supresiones
}

/** The key of the hashes; undefined in a database of before there was a ledger. */
export async function readClaveDeSupresiones(db: Database): Promise<Buffer | undefined> {
  const { rows } = await sql<{ hay: boolean }>`select to_regclass('clave_de_supresiones') is not null as hay`.execute(
    db,
  )
  if (!rows[0]!.hay) return undefined
  return (await db.selectFrom('clave_de_supresiones').select('clave').executeTakeFirst())?.clave
}
