import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { EDITION_BUCKET } from '#app/cms/media/file-store.server.ts'
import { openDatabase } from '#app/core/db/database.server.ts'
import { erasuresInForce, readErasuresBesideBackups } from '#app/core/db/erasure-log.server.ts'
import { hashFile, hashStream } from '#app/core/process/durable-files.server.ts'
import { processAll, type ReportProgress } from '#app/core/process/progress.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { BACKUP_BUCKET, SHARED_OBJECT_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { recountAllChains } from '#app/voting/chain/recount.server.ts'
import { RECORD_BUCKET } from '#app/voting/sealing/record-file.server.ts'
import {
  CATALOG_ENTRY_FILE,
  listBackups,
  readCatalogEntry,
  readManifest,
  SwappedBackupFault,
} from './catalog.server.ts'
import { BackupFault } from './fault.server.ts'
import { assertDatabaseEmpty, countRows, type DatabaseToLoad, loadDatabase } from './load-database.server.ts'
import {
  BACKUP_ID_PATTERN,
  type CatalogEntry,
  COUNTED_TABLES,
  type Manifest,
  type ObjectRecord,
  type RowCounts,
} from './schema.ts'
import type { BackupStore } from './store.server.ts'

/** A storage counts as empty if these buckets contain no objects of other data. */
const BUCKETS = [...Object.values(FORMS).map(({ bucket }) => bucket), EDITION_BUCKET, RECORD_BUCKET]

/**
 * Notice for an unencrypted backup, whose files and checksums an attacker who can write at the destination could have changed.
 */
const UNENCRYPTED_NOTICE =
  'Este respaldo no está cifrado: no se puede saber si lo cambió alguien que pueda escribir donde está. Restáuralo sólo si ese lugar es tuyo.'

/** A site's data on their way to an empty place, from a backup or from a site that is moved. */
export interface SiteCopy {
  manifest: DatabaseToLoad & { objetos: readonly ObjectRecord[] }
  /** Fingerprints of erased entries, whose objects are neither restored nor reported as missing. */
  erasedFingerprints: ReadonlySet<string>
  openTable(table: { nombre: string }): Promise<Readable> | Readable
  openObject(object: ObjectRecord): Promise<Readable>
}

export interface OpenedBackup extends SiteCopy {
  store: BackupStore
  catalogEntry: CatalogEntry
  manifest: Manifest
}

/**
 * Opens a backup.
 * @param id id of the backup; undefined for the newest that is not dated in the future
 * @throws StartError if the backup does not exist, its manifest is damaged, or the store's key does not fit it
 */
export async function openBackup(
  store: BackupStore,
  id?: string,
  onProgress: ReportProgress = () => {},
): Promise<OpenedBackup> {
  const { catalogEntry, manifest } = await (id === undefined
    ? openNewestBackup(store, onProgress)
    : openBackupById(store, id))
  if (!catalogEntry.cifrada) onProgress(UNENCRYPTED_NOTICE)
  const erasedFingerprints = new Set(
    erasuresInForce(await readErasuresBesideBackups(store.storage)).map(({ huella }) => huella),
  )
  const storedTablePaths = new Map(manifest.tablas.map(({ nombre, guardado }) => [nombre, guardado.nombre]))
  const storedObjectPaths = new Map(
    manifest.objetos.map(({ bucket, path, guardado }) => [`${bucket}/${path}`, guardado.nombre]),
  )
  return {
    store,
    catalogEntry,
    manifest,
    erasedFingerprints,
    openTable: ({ nombre }) => store.read(BACKUP_BUCKET, storedTablePaths.get(nombre)!, { isCompressed: true }),
    openObject: ({ bucket, path }) => store.read(SHARED_OBJECT_BUCKET, storedObjectPaths.get(`${bucket}/${path}`)!),
  }
}

async function openBackupById(store: BackupStore, id: string) {
  const catalogEntry = BACKUP_ID_PATTERN.test(id)
    ? await readCatalogEntry(store, `${id}/${CATALOG_ENTRY_FILE}`)
    : undefined
  if (catalogEntry) return { catalogEntry, manifest: await readManifest(store, catalogEntry) }
  const ids: string[] = []
  for await (const path of store.storage.list(BACKUP_BUCKET, ''))
    if (path.endsWith(`/${CATALOG_ENTRY_FILE}`)) ids.push(path.split('/')[0]!)
  throw new BackupFault(
    `En ${store.name} no está el respaldo ${id}, o su carátula está dañada. Hay: ${ids.toReversed().slice(0, 30).join(', ') || 'ninguno'}.`,
    'El respaldo no está, o su carátula está dañada.',
  )
}

async function openNewestBackup(store: BackupStore, onProgress: ReportProgress) {
  const { backups, futureDated, untrustedIds, withoutKey, invalidPaths } = await listBackups(store)
  for (const path of invalidPaths)
    onProgress(`Se pasó por alto un archivo que no es de un respaldo, o está dañado: ${path}.`)
  if (untrustedIds.length > 0 && backups.length + futureDated.length > 0)
    onProgress(`Se pasaron por alto ${untrustedIds.length} respaldos sin cifrar: pudo ponerlos ahí otra persona.`)
  for (const backup of futureDated)
    onProgress(
      `El respaldo ${backup.id} tiene fecha futura (${backup.momento}): se hizo con el reloj adelantado. Para usarlo, pídelo con --copia.`,
    )
  for (const [index, catalogEntry] of backups.entries()) {
    // If a newer backup cannot be decrypted, no older backup is restored instead.
    if (withoutKey[0] && withoutKey[0].momento > catalogEntry.momento) break
    try {
      return { catalogEntry, manifest: await readManifest(store, catalogEntry) }
    } catch (error) {
      const olderBackup = backups[index + 1]
      if (error instanceof SwappedBackupFault && olderBackup) onProgress(error.message)
      else if (error instanceof BackupFault && olderBackup)
        throw new BackupFault(`${error.message} El anterior es --copia ${olderBackup.id}.`, error.summary)
      else throw error
    }
  }
  // Here `readManifest` throws, since there is no key for the encrypted backup.
  if (withoutKey[0]) await readManifest(store, withoutKey[0])
  if (futureDated[0])
    throw new BackupFault(
      `En ${store.name} sólo hay respaldos de fecha futura. Revisa el reloj de esta máquina, o elige uno: --copia ${futureDated[0].id}.`,
      'Sólo hay respaldos de fecha futura.',
    )
  // Here `openBackupById` throws, since the store has a key and the backup is not encrypted.
  const [plainBackupId] = untrustedIds
  if (plainBackupId !== undefined) await openBackupById(store, plainBackupId)
  throw new BackupFault(`En ${store.name} no hay ningún respaldo entero.`, 'No hay ningún respaldo entero.')
}

/** An empty place into which a site is restored. */
export interface RestoreTarget {
  /** Pool of the target's database; absent if no database is to be restored. */
  pool?: pg.Pool | undefined
  /** Target's storage; if absent, objects are only read and their checksums verified. */
  storage?: ObjectStorage | undefined
  /** Folder for temporary files. */
  dataDir: string
}

/**
 * Checks that the target is empty, since a restore overwrites nothing. It may have objects of an interrupted restore of the same
 * data.
 * @throws StartError if the target has other data
 */
export async function assertTargetEmpty(
  pool: pg.Pool | undefined,
  storage: ObjectStorage | undefined,
  { manifest }: SiteCopy,
): Promise<void> {
  if (pool) await assertDatabaseEmpty(pool)
  const expectedPaths = new Set(manifest.objetos.map(({ bucket, path }) => `${bucket}/${path}`))
  for (const bucket of storage ? BUCKETS : [])
    for await (const path of storage!.list(bucket, ''))
      if (!expectedPaths.has(`${bucket}/${path}`))
        throw new StartError(
          'El almacenamiento de destino no está vacío, y nunca se escribe encima de otro. Elige otra carpeta, o una cubeta nueva.',
        )
}

/** Result of a restore, compared with the data that were to be restored. */
export interface RestoredSite {
  /** Tables whose rows differ when they are read back. */
  differingTables: string[]
  /** Objects (`bucket/path`) that are damaged or missing. */
  lostObjects: string[]
  /** Spanish sentences about votes that do not match their seals. */
  voteFaults: string[]
  /** Row counts of the restored database; undefined if no database was restored. */
  rowCounts: RowCounts | undefined
}

/**
 * Writes a site into an empty place, and recounts its votes: first its objects, then its rows in one transaction, so that a
 * restore that is interrupted before its commit leaves no rows and can be started again. What the target lacks is not written:
 * without a pool no rows, without a storage no objects, which are then only checked.
 * @param secret secret that signed the votes; without it, signatures are not checked
 * @throws StartError if this version is older than the data, or a table is damaged
 */
export async function restoreSite(
  copy: SiteCopy,
  { pool, storage, dataDir }: RestoreTarget,
  {
    migrationsFolder,
    secret,
    onProgress,
  }: { migrationsFolder: string; secret: string | undefined; onProgress: ReportProgress },
): Promise<RestoredSite> {
  const lostObjects = await restoreObjects(copy, storage && { storage, dataDir }, onProgress)
  if (!pool) return { differingTables: [], lostObjects, voteFaults: [], rowCounts: undefined }
  const { differingTables } = await restoreDatabase(pool, copy, migrationsFolder, onProgress)
  const voteFaults = await recountAllChains(
    openDatabase(pool),
    secret === undefined ? undefined : createKeyDeriver(secret),
  )
  onProgress('Votos: contados otra vez, sello por sello.')
  return { differingTables, lostObjects, voteFaults, rowCounts: await countRows(pool) }
}

export const restoreFaultsInWords = (
  { differingTables, lostObjects, voteFaults }: RestoredSite,
  { perdidos }: Manifest,
): string[] => [
  ...differingTables.map((table) => `La tabla ${table} no es la del respaldo.`),
  ...lostObjects.map((path) => `Falta o está dañado el archivo ${path}.`),
  ...perdidos.map((path) => `El archivo ${path} ya faltaba cuando se hizo el respaldo.`),
  ...voteFaults,
]

/**
 * Loads a copy's rows into an empty database, and migrates it to this version.
 * @returns tables whose rows, read back, differ from the copy's
 */
export const restoreDatabase = (
  pool: pg.Pool,
  { manifest, openTable }: SiteCopy,
  migrationsFolder: string,
  onProgress: ReportProgress,
): Promise<{ differingTables: string[] }> => loadDatabase(pool, manifest, migrationsFolder, onProgress, openTable)

/**
 * Reads every object of a copy, except those of erased entries, and verifies its checksum. With a destination, writes the object
 * there unless it exists, and reads it back.
 * @returns damaged or missing objects, `bucket/path`
 */
export async function restoreObjects(
  copy: Pick<SiteCopy, 'manifest' | 'erasedFingerprints' | 'openObject'>,
  destination: { storage: ObjectStorage; dataDir: string } | undefined,
  onProgress: ReportProgress,
): Promise<string[]> {
  const objectsToRestore = copy.manifest.objetos.filter(
    ({ de }) => de === undefined || !copy.erasedFingerprints.has(de),
  )
  const damagedPaths: string[] = []
  await processAll(objectsToRestore, 'Documentos', onProgress, async (object) => {
    const openBody = () => copy.openObject(object)
    const isGood = await (destination
      ? restoreObject(openBody, destination, object)
      : hasChecksum(openBody, object.sha256))
    if (!isGood) damagedPaths.push(`${object.bucket}/${object.path}`)
  })
  onProgress(`Documentos: ${objectsToRestore.length - damagedPaths.length} de ${objectsToRestore.length}.`)
  return damagedPaths
}

/** Returns whether a stream can be read to its end and has the checksum. */
const hasChecksum = (openBody: () => Promise<Readable>, sha256: string): Promise<boolean> =>
  openBody()
    .then(hashStream)
    .then(
      (checksum) => checksum === sha256,
      () => false,
    )

/**
 * Writes an object into the target, unless it is there, and reads it back.
 * @returns whether the object is complete, and the storage returns its bytes
 */
async function restoreObject(
  openBody: () => Promise<Readable>,
  { storage, dataDir }: { storage: ObjectStorage; dataDir: string },
  { bucket, path, sha256, contentType, cacheControlSeconds }: ObjectRecord,
): Promise<boolean> {
  if ((await storage.head(bucket, path))?.sha256 !== sha256) {
    const isSent = await withTempFolder(dataDir, async (folder) => {
      const file = join(folder, 'objeto')
      const isWhole = await openBody()
        .then((body) => pipeline(body, createWriteStream(file, { mode: 0o600 })))
        .then(
          async () => (await hashFile(file)) === sha256,
          () => false,
        )
      if (isWhole) await storage.putFile(bucket, path, file, { contentType, cacheControlSeconds, sha256 })
      return isWhole
    }).catch((error: unknown) => {
      if (error instanceof ObjectExistsError) return false
      throw error
    })
    if (!isSent) return false
  }
  const restoredBody = await storage.get(bucket, path)
  return restoredBody !== undefined && (await hashStream(restoredBody)) === sha256
}

/** Returns the table that a restore or a move prints at its end: row counts in the backup or the old place, and in the new place. */
export const comparisonTable = (backup: RowCounts, restored: RowCounts, firstHeading = 'en el respaldo'): string =>
  [
    ['', firstHeading, firstHeading === 'antes' ? 'ahora' : 'aquí'],
    ...COUNTED_TABLES.map(({ nombre }) => [nombre, String(backup[nombre]), String(restored[nombre])]),
  ]
    .map(([name, before, now]) => `${name!.padEnd(15)}${before!.padStart(16)}${now!.padStart(12)}`)
    .join('\n')
