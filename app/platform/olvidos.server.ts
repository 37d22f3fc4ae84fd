import { createHmac } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { errorCode, makeFolder, writeWhole } from './durable-files.server.ts'
import type { Settings } from './env.server.ts'
import { openPlace } from './open-storage.server.ts'
import { ObjectExistsError, type ObjectStorage } from './storage.server.ts'

/**
 * The ledger of deletions, kept outside the database: what is restored later goes through it, so that nobody who asked to
 * be gone comes back. It holds keyed hashes; whoever has the ledger alone learns how many there are, and when.
 */

export interface Olvido {
  /** Keyed hash of what was deleted, in hex. */
  huella: string
  /** ISO moment. */
  at: string
}

/** Where the ledger lies beside the data, one small file each. */
const folderOf = (dataDir: string) => join(dataDir, 'olvidos')
const BUCKET = 'olvidos'
const EXTENSION = '.json'

/** @param clave the site's own, out of its database @param sobre what is deleted, so that nothing else has the same words */
export const huellaDeOlvido = (clave: Uint8Array, ...sobre: (string | number | Date)[]): string =>
  createHmac('sha256', clave)
    .update(JSON.stringify(sobre.map((one) => (one instanceof Date ? one.toISOString() : one))))
    .digest('hex')

/** Writes a deletion down beside the data, durable when it resolves; once more changes nothing. */
export async function noteOlvido(dataDir: string, huella: string, at: Date): Promise<void> {
  const folder = folderOf(dataDir)
  await makeFolder(folder)
  const olvido: Olvido = { huella, at: at.toISOString() }
  await writeWhole(join(folder, huella + EXTENSION), JSON.stringify(olvido))
}

/** Writes deletions down beside the backups, each once. */
export async function keepOlvidos(store: ObjectStorage, olvidos: readonly Olvido[]): Promise<void> {
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  const there = new Set<string>()
  for await (const path of store.list(BUCKET, '')) there.add(path)
  for (const olvido of olvidos)
    if (!there.has(olvido.huella + EXTENSION))
      await store
        .putBytes(BUCKET, olvido.huella + EXTENSION, Buffer.from(JSON.stringify(olvido)), metadata)
        .catch((error: unknown) => {
          if (!(error instanceof ObjectExistsError)) throw error
        })
}

/** Takes the ledger beside the data to where the site's own backups are, if there are any. */
export async function llevaOlvidos({ backupUrl, dataDir }: Pick<Settings, 'backupUrl' | 'dataDir'>): Promise<void> {
  if (backupUrl !== undefined) await keepOlvidos(await openPlace(backupUrl), await readOlvidos(dataDir))
}

/** Takes a line out of the ledger: whom it names is there again, and wants to be. */
export async function quitaOlvido(dataDir: string, stores: readonly ObjectStorage[], huella: string): Promise<void> {
  await rm(join(folderOf(dataDir), huella + EXTENSION), { force: true })
  for (const store of stores) await store.remove(BUCKET, huella + EXTENSION)
}

/** The ledger beside the data. */
export async function readOlvidos(dataDir: string): Promise<Olvido[]> {
  const names = await readdir(folderOf(dataDir)).catch((error: unknown): string[] => {
    if (errorCode(error) !== 'ENOENT') throw error
    return []
  })
  const wanted = names.filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
  return Promise.all(wanted.map(async (name) => JSON.parse(await readFile(join(folderOf(dataDir), name), 'utf8'))))
}

/** The ledger beside backups. */
export async function readOlvidosOf(store: ObjectStorage): Promise<Olvido[]> {
  const olvidos: Olvido[] = []
  for await (const path of store.list(BUCKET, '')) {
    const body = await store.get(BUCKET, path)
    if (body) olvidos.push(JSON.parse(await text(body)))
  }
  return olvidos
}

/** The key of the hashes; undefined in a database of before there was a ledger. */
export async function readClaveDeOlvidos(pool: pg.Pool | pg.ClientBase): Promise<Buffer | undefined> {
  const { rows: found } = await pool.query(`select to_regclass('clave_de_olvidos') is not null as hay`)
  if (!found[0].hay) return undefined
  const { rows } = await pool.query<{ clave: Buffer }>('select clave from clave_de_olvidos')
  return rows[0]?.clave
}
