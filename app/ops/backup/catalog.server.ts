import { buffer } from 'node:stream/consumers'
import * as v from 'valibot'
import { StartError } from '#app/core/process/start-error.server.ts'
import { BACKUP_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import { readSmallObject } from '#app/core/storage/read-small-object.server.ts'
import { BackupFault } from './fault.server.ts'
import { type CatalogEntry, CatalogEntrySchema, isInFuture, type Manifest, ManifestSchema } from './schema.ts'
import type { BackupStore } from './store.server.ts'

export const CATALOG_ENTRY_FILE = 'caratula.json'
const MIB = 1_048_576
const MAX_CATALOG_ENTRY_BYTES = 16_384
/**
 * Decompression may enlarge a manifest by this factor. A genuine manifest grows about threefold, since it has many checksums, a
 * decompression bomb by far more.
 */
const MAX_MANIFEST_GROWTH = 40
/** Even the smallest manifest may have this many bytes when it is decompressed. */
const MIN_MANIFEST_ALLOWANCE_BYTES = MIB
/** No manifest may have more bytes when it is decompressed, since it is read into memory. */
const MAX_MANIFEST_BYTES = 128 * MIB

export interface BackupListing {
  /** Backups, newest first, that are encrypted exactly if the store was opened with a key, and are not dated in the future. */
  backups: CatalogEntry[]
  /** Backups dated in the future, since the clock of the machine that made them, or of this machine, is wrong. */
  futureDated: CatalogEntry[]
  /** Ids of the unencrypted backups if the store was opened with a key. An attacker who can write there could have made them. */
  untrustedIds: string[]
  /** Encrypted backups if the store was opened without a key, newest first. */
  withoutKey: CatalogEntry[]
  /** Paths of the catalog entries that `readCatalogEntry` refuses. */
  invalidPaths: string[]
}

export async function listBackups(store: BackupStore, now = new Date()): Promise<BackupListing> {
  const listing: BackupListing = { backups: [], futureDated: [], untrustedIds: [], withoutKey: [], invalidPaths: [] }
  for await (const path of store.storage.list(BACKUP_BUCKET, '')) {
    if (!path.endsWith(`/${CATALOG_ENTRY_FILE}`)) continue
    const catalogEntry = await readCatalogEntry(store, path)
    if (!catalogEntry) listing.invalidPaths.push(path)
    else if (store.cipher && !catalogEntry.cifrada) listing.untrustedIds.push(catalogEntry.id)
    else if (!store.cipher && catalogEntry.cifrada) listing.withoutKey.push(catalogEntry)
    else if (isInFuture(new Date(catalogEntry.momento), now)) listing.futureDated.push(catalogEntry)
    else listing.backups.push(catalogEntry)
  }
  const newestFirst = (a: CatalogEntry, b: CatalogEntry) => Date.parse(b.momento) - Date.parse(a.momento)
  listing.backups.sort(newestFirst)
  listing.withoutKey.sort(newestFirst)
  return listing
}

/** Reads a backup's catalog entry. @returns undefined if it is missing, too long, invalid, or at the path of another backup */
export async function readCatalogEntry(
  { storage }: Pick<BackupStore, 'storage'>,
  path: string,
): Promise<CatalogEntry | undefined> {
  const entryBytes = await readSmallObject(storage, BACKUP_BUCKET, path, MAX_CATALOG_ENTRY_BYTES)
  if (!entryBytes) return undefined
  try {
    const parsedEntry = v.safeParse(CatalogEntrySchema, JSON.parse(Buffer.from(entryBytes).toString()))
    return parsedEntry.success && path === `${parsedEntry.output.id}/${CATALOG_ENTRY_FILE}`
      ? parsedEntry.output
      : undefined
  } catch {
    return undefined
  }
}

/** Thrown if an intact manifest belongs to another backup than its catalog entry, since files were swapped. */
export class SwappedBackupFault extends BackupFault {}

/**
 * Reads a backup's manifest, and compares its checksum, id and moment with the catalog entry.
 * @throws BackupFault if the manifest is damaged, swapped or cannot be read; StartError for an encrypted backup if there is no key,
 * and for an unencrypted one if there is a key
 */
export async function readManifest(store: BackupStore, catalogEntry: CatalogEntry): Promise<Manifest> {
  const { id, cifrada, momento } = catalogEntry
  if (cifrada && !store.cipher)
    throw new StartError(
      'Este respaldo está cifrado: pon en BACKUP_KEY la clave con que se hizo, o la que se imprimió desde el panel.',
    )
  // An attacker who can write at the destination could otherwise add a forged backup that is newer than the genuine backups.
  if (!cifrada && store.cipher)
    throw new StartError(
      `El respaldo ${id} no está cifrado, y se dio BACKUP_KEY: pudo ponerlo ahí otra persona. Elige otro con --copia; si es tuyo, repite la orden sin BACKUP_KEY.`,
    )
  const manifest = await readManifestFile(store, catalogEntry).catch((error: unknown) => {
    if (error instanceof BackupFault) throw error
    throw new BackupFault(
      `El respaldo ${id} está dañado: su lista no se puede leer.`,
      'La lista del respaldo está dañada.',
    )
  })
  if (manifest.id !== id || manifest.momento !== momento)
    throw new SwappedBackupFault(
      `El respaldo ${id} lleva la lista de otro (${manifest.id}): alguien lo cambió. Elige otro con --copia.`,
      'La lista es de otro respaldo: alguien lo cambió.',
    )
  return manifest
}

async function readManifestFile(store: BackupStore, { id, manifiesto: { sha256 } }: CatalogEntry): Promise<Manifest> {
  const path = `${id}/manifiesto`
  const size = (await store.storage.head(BACKUP_BUCKET, path))?.size ?? 0
  const maxBytes = Math.min(MAX_MANIFEST_BYTES, MIN_MANIFEST_ALLOWANCE_BYTES + size * MAX_MANIFEST_GROWTH)
  const manifestBytes = await buffer(
    await store.read(BACKUP_BUCKET, path, { isCompressed: true, storedSha256: sha256, maxBytes }),
  )
  return v.parse(ManifestSchema, JSON.parse(manifestBytes.toString()))
}
