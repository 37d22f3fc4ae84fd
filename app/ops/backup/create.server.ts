import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { ADVISORY_LOCKS } from '#app/core/db/advisory-locks.ts'
import { readClock } from '#app/core/db/clock-guard.server.ts'
import { openDatabase } from '#app/core/db/database.server.ts'
import {
  mergeErasures,
  readErasureKey,
  readErasuresBesideData,
  readErasuresFromDatabase,
  writeErasuresBesideBackups,
} from '#app/core/db/erasure-log.server.ts'
import {
  createTableDigest,
  dumpTable,
  listDumpedTables,
  readAppliedMigrations,
  readSequences,
} from '#app/core/db/table-dump.server.ts'
import { withAdvisoryLock } from '#app/core/db/with-advisory-lock.server.ts'
import { processAll, type ReportProgress } from '#app/core/process/progress.server.ts'
import { BACKUP_BUCKET, SHARED_OBJECT_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import type { BackedUpObject } from '#app/core/storage/backed-up-object.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { readSmallObject } from '#app/core/storage/read-small-object.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { CATALOG_ENTRY_FILE } from './catalog.server.ts'
import { isDestinationFull } from './destination-fault.server.ts'
import { BackupFault, BackupInProgress, faultReason } from './fault.server.ts'
import { siteIdentity } from './identity.server.ts'
import { type ObjectWriter, openObjectWriter, storedNameOf } from './object-writer.server.ts'
import { pruneBackups } from './prune.server.ts'
import type { RotationRule } from './rotation.ts'
import { BACKUP_FORMAT, type CatalogEntry, countsOf, type Manifest, type RowCounts } from './schema.ts'
import { describeObject, listObjectsToBackUp, withSnapshot } from './site-snapshot.server.ts'
import { type BackupStore, pipeThrough, streamOf } from './store.server.ts'

export interface SiteToBackUp {
  pool: pg.Pool
  storage: ObjectStorage
  dataDir: string
  publicUrl: string
  /** Secret that signs votes and encrypts mail; undefined if it is not available. */
  secret: string | undefined
  version: string
}

export interface CompletedBackup {
  id: string
  momento: string
  cifrada: boolean
  cuentas: RowCounts
  /** Number of objects of the backup. */
  objetos: number
  /** Number of objects that were new at the destination. */
  nuevos: number
  /** Number of bytes that this run wrote. */
  escritos: number
  /** Size of the whole backup. */
  bytes: number
  /** Paths (`bucket/path`) of objects that the database names, but that are lost or damaged in the site's storage. */
  perdidos: string[]
  /** Number of objects that were damaged at the destination, and were written again. */
  repuestos: number
  /** Number of older backups that were removed. */
  quitadas: number
  /** Spanish notices about the destination and the clock. They do not affect the backup. */
  avisos: string[]
}

export interface BackupOptions {
  rotation: RotationRule
  /** Whether to check every object at the destination, instead of the share that is due this night. */
  isFullCheck?: boolean
  onProgress: ReportProgress
}

/**
 * Backs up a site, which may be running: a snapshot of the database, and every object that it names. Reads written files back.
 * Of the objects that earlier backups have stored, checks the share that is due, and writes damaged objects again. After a
 * complete backup, removes the older backups that the rotation does not keep (`pruneBackups`).
 * @throws BackupInProgress if another backup is running
 */
export async function backUpSite(
  site: SiteToBackUp,
  store: BackupStore,
  options: BackupOptions,
): Promise<CompletedBackup> {
  const lockClient = await site.pool.connect()
  try {
    const backup = await withAdvisoryLock(lockClient, ADVISORY_LOCKS.backup, () => createBackup(site, store, options))
    if (!backup) throw new BackupInProgress('Ya se está haciendo otro respaldo: espera a que termine.')
    return backup
  } finally {
    lockClient.release()
  }
}

async function createBackup(site: SiteToBackUp, store: BackupStore, options: BackupOptions): Promise<CompletedBackup> {
  const { rotation, onProgress } = options
  const now = new Date()
  const id = `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`
  const writer = await openObjectWriter(site.storage, store, options.isFullCheck ?? false)
  const writtenBackup = await writeBackup(site, store, id, writer, onProgress).catch(async (error: unknown) => {
    await discardFailedBackup(store, id, isDestinationFull(error) ? writer.newNames : [])
    throw error
  })
  const { manifest, catalogEntry, objects, siteId, storedManifest } = writtenBackup
  const { momento, tablas, objetos, perdidos } = manifest
  const { newCount: nuevos, rewrittenCount: repuestos, writtenBytes: escritos } = writer.counts
  const tableBytes = tablas.reduce((sum, { guardado }) => sum + guardado.bytes, 0)
  const neededObjects = new Set(objetos.map(({ guardado }) => guardado.nombre))
  for (const { sha256 } of objects) if (sha256 !== undefined) neededObjects.add(storedNameOf(store, sha256))
  const pruneOptions = { id, siteId, publicUrl: site.publicUrl, neededObjects, now }
  // Older backups stay if this one is incomplete, or if the clock may be wrong.
  const { isAhead } = await readClock(openDatabase(site.pool))
  const { quitadas, avisos } =
    perdidos.length > 0 || isAhead
      ? { quitadas: 0, avisos: [] as string[] }
      : await pruneBackups(store, pruneOptions, rotation).catch((error: unknown) => ({
          // The backup is complete, but a destination that refuses deletions fills up, and keeps the objects of erased entries.
          quitadas: 0,
          avisos: [`Lo que ya no hace falta ahí no se pudo quitar. ${faultReason(error)}`],
        }))
  if (perdidos.length > 0) avisos.push('No se quitó ninguna copia de antes.')
  if (isAhead) avisos.push('El reloj del servidor va adelantado: corrígelo. No se quitó ninguna copia de antes.')
  return {
    id,
    momento,
    cifrada: catalogEntry.cifrada,
    cuentas: countsOf(tablas),
    avisos,
    objetos: objetos.length,
    nuevos,
    repuestos,
    perdidos,
    quitadas,
    escritos: escritos + tableBytes + storedManifest.bytes,
    bytes: objetos.reduce((sum, { guardado }) => sum + guardado.bytes, tableBytes + storedManifest.bytes),
  }
}

/** Writes the database, the objects, the manifest, the erasure log and, last, the catalog entry. */
async function writeBackup(
  site: SiteToBackUp,
  store: BackupStore,
  id: string,
  writer: ObjectWriter,
  onProgress: ReportProgress,
) {
  const { objects, siteId, ...database } = await copyDatabase(site, store, id, onProgress)
  const { objetos, perdidos } = await copyObjects(site, store, objects, writer, onProgress)
  const manifest: Manifest = {
    formato: BACKUP_FORMAT,
    id,
    publicUrl: site.publicUrl,
    ...database,
    objetos,
    perdidos,
    sitio: siteId,
    ...(store.cipher && site.secret !== undefined && { secreto: site.secret }),
  }
  const storedManifest = await store.write(BACKUP_BUCKET, `${id}/manifiesto`, streamOf(JSON.stringify(manifest)), {
    isCompressed: true,
  })
  const { momento, migraciones } = manifest
  const catalogEntry: CatalogEntry = {
    formato: BACKUP_FORMAT,
    id,
    momento,
    cifrada: store.cipher !== undefined,
    version: site.version,
    migracion: migraciones.at(-1) ?? '',
    manifiesto: { sha256: storedManifest.storedSha256 },
  }
  const erasures = mergeErasures(
    await readErasuresFromDatabase(openDatabase(site.pool)),
    await readErasuresBesideData(site.dataDir),
  )
  await writeErasuresBesideBackups(store.storage, erasures)
  await commitBackup(store, catalogEntry, manifest)
  return { manifest, catalogEntry, objects, siteId, storedManifest }
}

/**
 * Removes the files of a failed backup.
 * @param newNames names of new objects to remove, too: on a full disk they would make the next attempt fail, while otherwise they
 * stay for it
 */
async function discardFailedBackup({ storage }: BackupStore, id: string, newNames: readonly string[]): Promise<void> {
  const remove = (bucket: string, path: string) => storage.remove(bucket, path).catch(() => {})
  try {
    // The catalog entry is removed first. While the catalog entry exists, the backup counts as valid, so its files must stay.
    await storage.remove(BACKUP_BUCKET, `${id}/${CATALOG_ENTRY_FILE}`)
    for (const name of newNames) await remove(SHARED_OBJECT_BUCKET, name)
    for await (const path of storage.list(BACKUP_BUCKET, `${id}/`)) await remove(BACKUP_BUCKET, path)
  } catch {
    // A later backup removes the rest.
  }
}

/**
 * Checks that every file of the manifest exists, then writes the catalog entry, which makes the backup valid, and reads it back.
 * @throws BackupFault if a file is missing, or the catalog entry is not the one that was written
 */
async function commitBackup(
  { name, storage, cipher }: BackupStore,
  catalogEntry: CatalogEntry,
  { tablas: tables, objetos }: Manifest,
): Promise<void> {
  const { id } = catalogEntry
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  // The key file, without which nothing at the destination can be decrypted, gets a second copy beside each backup.
  const identityPath = `${id}/clave.age`
  if (cipher) await storage.putBytes(BACKUP_BUCKET, identityPath, cipher.encryptedIdentity, metadata)
  const missingPaths = new Set([
    `${id}/manifiesto`,
    ...(cipher ? [identityPath] : []),
    ...tables.map(({ guardado }) => guardado.nombre),
  ])
  for await (const path of storage.list(BACKUP_BUCKET, `${id}/`)) missingPaths.delete(path)
  const missingObjects = new Set(objetos.map(({ guardado }) => guardado.nombre))
  for await (const path of storage.list(SHARED_OBJECT_BUCKET, '')) missingObjects.delete(path)
  const missingCount = missingPaths.size + missingObjects.size
  if (missingCount > 0)
    throw new BackupFault(
      `${name} no muestra ${quantity(missingCount, 'archivo que se acaba', 'archivos que se acaban')} de guardar ahí: no se puede confiar en ese lugar.`,
      `Donde se guarda ${missingCount === 1 ? 'falta' : 'faltan'} ${quantity(missingCount, 'archivo recién guardado', 'archivos recién guardados')}.`,
    )
  const entryBytes = Buffer.from(JSON.stringify(catalogEntry))
  const catalogPath = `${id}/${CATALOG_ENTRY_FILE}`
  await storage.putBytes(BACKUP_BUCKET, catalogPath, entryBytes, metadata)
  const storedBytes = await readSmallObject(storage, BACKUP_BUCKET, catalogPath, entryBytes.byteLength)
  if (!storedBytes || !entryBytes.equals(storedBytes))
    throw new BackupFault(`La carátula en ${name} no es la que se escribió.`, 'La carátula no es la que se escribió.')
}

/** Copies the tables from one snapshot, and lists the objects that it names. */
async function copyDatabase(
  { pool, publicUrl }: SiteToBackUp,
  store: BackupStore,
  id: string,
  onProgress: ReportProgress,
) {
  const erasureKey = await readErasureKey(openDatabase(pool))
  return withSnapshot(pool, async (client) => {
    const { rows } = await client.query<{ momento: Date; postgres: string }>(
      `select clock_timestamp() as momento, current_setting('server_version') as postgres`,
    )
    const tables: Manifest['tablas'] = []
    for (const table of await listDumpedTables(client)) {
      const { through, digest } = createTableDigest()
      const path = `${id}/tablas/${table.nombre}`
      const { bytes } = await store.write(BACKUP_BUCKET, path, pipeThrough(dumpTable(client, table), through), {
        isCompressed: true,
      })
      tables.push({ ...table, ...digest(), guardado: { nombre: path, bytes } })
    }
    const { votos, entradas } = countsOf(tables)
    onProgress(`Base de datos: ${tables.length} tablas (${entradas} inscripciones, ${votos} votos).`)
    return {
      momento: rows[0]!.momento.toISOString(),
      postgres: rows[0]!.postgres,
      tablas: tables,
      migraciones: await readAppliedMigrations(client),
      secuencias: await readSequences(client),
      objects: await listObjectsToBackUp(client, erasureKey),
      siteId: siteIdentity(erasureKey, publicUrl),
    }
  })
}

async function copyObjects(
  site: SiteToBackUp,
  store: BackupStore,
  objectsToCopy: readonly BackedUpObject[],
  writer: ObjectWriter,
  onProgress: ReportProgress,
) {
  const objects: Manifest['objetos'] = []
  const missingObjects: BackedUpObject[] = []
  await processAll(objectsToCopy, 'Documentos', onProgress, async (object) => {
    const description = await describeObject(site.storage, object)
    const bytes = description && (await writer.store(description))
    // An object counts as missing if the storage lacks it or its bytes differ from the bytes that the site received.
    if (!bytes) return missingObjects.push(object)
    const { size: _, ...record } = description
    return objects.push({ ...record, guardado: { nombre: storedNameOf(store, record.sha256), bytes } })
  })
  const { newCount, rewrittenCount } = writer.counts
  onProgress(
    `Documentos: ${objects.length}, ${newCount} nuevos${rewrittenCount > 0 ? `, ${rewrittenCount} repuestos` : ''}.`,
  )
  return { objetos: objects, perdidos: await listLostObjects(site, missingObjects) }
}

/** Returns the missing objects that the database still names. Others were deleted during the backup. */
async function listLostObjects({ pool }: SiteToBackUp, missingObjects: readonly BackedUpObject[]): Promise<string[]> {
  if (missingObjects.length === 0) return []
  const client = await pool.connect()
  try {
    const presentNames = new Set(
      (await listObjectsToBackUp(client, undefined)).map(({ bucket, path }) => `${bucket}/${path}`),
    )
    return missingObjects.map(({ bucket, path }) => `${bucket}/${path}`).filter((name) => presentNames.has(name))
  } finally {
    client.release()
  }
}
