import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import type pg from 'pg'
import { BUCKET as EDITION } from '#app/cms/media/file-store.server.ts'
import { inForce, readErasuresOf } from '#app/core/db/erasure-log.server.ts'
import { hashFile } from '#app/core/process/durable-files.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { BUCKET as RECORDS } from '#app/voting/sealing/record-file.server.ts'
import {
  BACKUPS,
  CATALOG_FILE,
  listBackups,
  readCatalogEntry,
  readManifest,
  SwappedBackupFault,
} from './catalog.server.ts'
import { BackupFault } from './fault.server.ts'
import { assertDatabaseEmpty, loadDatabase } from './load-database.server.ts'
import { type CatalogEntry, COUNTED_TABLES, ID, type Manifest, type RowCounts } from './schema.ts'
import type { BackupStore } from './store.server.ts'

/** Buckets of a site; a foreign object in one of them means that the storage is not empty. */
const BUCKETS = [...Object.values(FORMS).map(({ bucket }) => bucket), EDITION, RECORDS]
const AT_ONCE = 4
const EVERY_MS = 1_000

type ReportProgress = (progress: string) => void

/** Shown for an unencrypted backup: a writer at the destination could have changed its files together with their checksums. */
const UNENCRYPTED_NOTICE =
  'Este respaldo no está cifrado: no se puede saber si lo cambió alguien que pueda escribir donde está. Restáuralo sólo si ese lugar es tuyo.'

export interface OpenedBackup {
  store: BackupStore
  catalogEntry: CatalogEntry
  manifest: Manifest
  /** Fingerprints of erased entries, from the log beside the backups: their objects are neither restored nor missed. */
  erasedFingerprints: ReadonlySet<string>
}

/**
 * @param id the backup to open; undefined: the newest
 * @throws StartError when there is no such backup, or it is damaged
 */
export async function openBackup(
  store: BackupStore,
  id?: string,
  onProgress: ReportProgress = () => {},
): Promise<OpenedBackup> {
  const { catalogEntry, manifest } = await (id === undefined ? openNewest(store, onProgress) : openOne(store, id))
  if (!catalogEntry.cifrada) onProgress(UNENCRYPTED_NOTICE)
  const erased = new Set(inForce(await readErasuresOf(store.storage)).map(({ huella }) => huella))
  return { store, catalogEntry, manifest, erasedFingerprints: erased }
}

async function openOne(store: BackupStore, id: string) {
  const catalogEntry = ID.test(id) ? await readCatalogEntry(store, `${id}/${CATALOG_FILE}`) : undefined
  if (catalogEntry) return { catalogEntry, manifest: await readManifest(store, catalogEntry) }
  const ids: string[] = []
  for await (const path of store.storage.list(BACKUPS, ''))
    if (path.endsWith(`/${CATALOG_FILE}`)) ids.push(path.split('/')[0]!)
  throw new BackupFault(
    `En ${store.name} no está el respaldo ${id}, o su carátula está dañada. Hay: ${ids.toReversed().slice(0, 30).join(', ') || 'ninguno'}.`,
    'El respaldo no está, o su carátula está dañada.',
  )
}

async function openNewest(store: BackupStore, onProgress: ReportProgress) {
  const { backups, futureDated, unencrypted, encrypted, invalidPaths } = await listBackups(store)
  for (const path of invalidPaths)
    onProgress(`Se pasó por alto un archivo que no es de un respaldo, o está dañado: ${path}.`)
  if (unencrypted.length > 0 && backups.length + futureDated.length > 0)
    onProgress(`Se pasaron por alto ${unencrypted.length} respaldos sin cifrar: pudo ponerlos ahí otra persona.`)
  for (const backup of futureDated)
    onProgress(
      `El respaldo ${backup.id} tiene fecha futura (${backup.momento}): se hizo con el reloj adelantado. Para usarlo, pídelo con --copia.`,
    )
  for (const [at, catalogEntry] of backups.entries()) {
    // A newer backup that cannot be decrypted must not be skipped silently.
    if (encrypted[0] && encrypted[0].momento > catalogEntry.momento) break
    try {
      return { catalogEntry, manifest: await readManifest(store, catalogEntry) }
    } catch (error) {
      const next = backups[at + 1]
      if (error instanceof SwappedBackupFault && next) onProgress(error.message)
      else if (error instanceof BackupFault && next)
        throw new BackupFault(`${error.message} El anterior es --copia ${next.id}.`, error.summary)
      else throw error
    }
  }
  if (encrypted[0]) await readManifest(store, encrypted[0])
  if (futureDated[0])
    throw new BackupFault(
      `En ${store.name} sólo hay respaldos de fecha futura. Revisa el reloj de esta máquina, o elige uno: --copia ${futureDated[0].id}.`,
      'Sólo hay respaldos de fecha futura.',
    )
  const [plain] = unencrypted
  if (plain !== undefined) await openOne(store, plain)
  throw new BackupFault(`En ${store.name} no hay ningún respaldo entero.`, 'No hay ningún respaldo entero.')
}

/**
 * @throws StartError when the target holds other data: a restore never overwrites. Objects from an interrupted restore
 * of the same backup are allowed.
 */
export async function assertTargetEmpty(
  pool: pg.Pool,
  storage: ObjectStorage,
  { manifest }: OpenedBackup,
): Promise<void> {
  await assertDatabaseEmpty(pool)
  const own = new Set(manifest.objetos.map(({ bucket, path }) => `${bucket}/${path}`))
  for (const bucket of BUCKETS)
    for await (const path of storage.list(bucket, ''))
      if (!own.has(`${bucket}/${path}`))
        throw new StartError(
          'El almacenamiento de destino no está vacío: restaurar nunca escribe encima. Elige otra carpeta con --en, o una cubeta nueva.',
        )
}

/**
 * Restores a backup's database into an empty one, and migrates it to this version.
 * @param migrations folder of the SQL files
 * @returns tables whose rows, read again, differ from the backup's
 * @throws StartError when this version is older than the backup, or the backup is damaged
 */
export async function restoreDatabase(
  pool: pg.Pool,
  { store, manifest }: OpenedBackup,
  migrations: string,
  onProgress: ReportProgress,
): Promise<{ differingTables: string[] }> {
  const storedNames = new Map(manifest.tablas.map(({ nombre, guardado }) => [nombre, guardado.nombre]))
  return loadDatabase(pool, manifest, migrations, onProgress, ({ nombre }) =>
    store.read('copias', storedNames.get(nombre)!, { compressed: true }),
  )
}

type ObjectRecord = Manifest['objetos'][number]

/**
 * Reads every object of a backup and verifies its checksum; with a destination, writes the object there. Objects that
 * are there already stay, so that an interrupted restore can continue. Objects of erased entries are left out.
 * @returns damaged or missing objects, `bucket/path`
 */
export async function restoreObjects(
  { store, manifest, erasedFingerprints }: OpenedBackup,
  destination: { storage: ObjectStorage; dataDir: string } | undefined,
  onProgress: ReportProgress,
): Promise<string[]> {
  const wanted = manifest.objetos.filter(({ de }) => de === undefined || !erasedFingerprints.has(de))
  const bad: string[] = []
  const said = { at: Date.now() }
  let done = 0
  const one = async (object: ObjectRecord) => {
    const isGood = destination ? await place(store, destination, object) : await isWhole(store, object)
    if (!isGood) bad.push(`${object.bucket}/${object.path}`)
    done++
    if (Date.now() - said.at < EVERY_MS) return
    said.at = Date.now()
    onProgress(`Documentos: ${done} de ${wanted.length}.`)
  }
  const limit = pLimit(AT_ONCE)
  await Promise.all(wanted.map((object) => limit(one, object)))
  onProgress(`Documentos: ${wanted.length - bad.length} de ${wanted.length}.`)
  return bad
}

async function isWhole(store: BackupStore, { guardado, sha256 }: ObjectRecord): Promise<boolean> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of await store.read('objetos', guardado.nombre)) hash.update(chunk)
    return hash.digest('hex') === sha256
  } catch {
    return false
  }
}

async function place(
  store: BackupStore,
  { storage, dataDir }: { storage: ObjectStorage; dataDir: string },
  object: ObjectRecord,
): Promise<boolean> {
  const { bucket, path, sha256, contentType, cacheControlSeconds, guardado } = object
  if ((await storage.head(bucket, path))?.sha256 === sha256) return true
  return withTempFolder(dataDir, async (folder) => {
    const file = join(folder, 'objeto')
    try {
      const opened = await store.read('objetos', guardado.nombre)
      await pipeline(opened, createWriteStream(file, { mode: 0o600 }))
    } catch {
      return false
    }
    if ((await hashFile(file)) !== sha256) return false
    await storage.putFile(bucket, path, file, { contentType, cacheControlSeconds, sha256 })
    await rm(file)
    return true
  })
}

/** The table at the end of a restore: row counts in the backup, and here. */
export const comparisonTable = (backup: RowCounts, here: RowCounts, where = 'en el respaldo'): string =>
  [
    ['', where, where === 'antes' ? 'ahora' : 'aquí'],
    ...COUNTED_TABLES.map(({ nombre }) => [nombre, String(backup[nombre]), String(here[nombre])]),
  ]
    .map(([name, before, now]) => `${name!.padEnd(15)}${before!.padStart(16)}${now!.padStart(12)}`)
    .join('\n')
