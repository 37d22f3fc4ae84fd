import { buffer } from 'node:stream/consumers'
import * as v from 'valibot'
import { StartError } from '#app/core/process/start-error.server.ts'
import { BACKUP_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import { readSmallObject } from '#app/core/storage/read-small-object.server.ts'
import { BackupFault } from './fault.server.ts'
import { type CatalogEntry, CatalogEntrySchema, isInFuture, type Manifest, ManifestSchema } from './schema.ts'
import type { BackupStore } from './store.server.ts'

export const CATALOG_FILE = 'caratula.json'
const MAX_CATALOG_ENTRY_BYTES = 16_384
/**
 * Maximum growth of a manifest by decompression. A manifest grows about threefold, since it has many checksums; a decompression
 * bomb grows by far more.
 */
const MAX_MANIFEST_GROWTH = 40
const MAX_MANIFEST_BYTES = 128 * 1_048_576

/** The backups at a destination. */
export interface AvailableBackups {
  /** Backups that can be restored, newest first. */
  backups: CatalogEntry[]
  /** Backups dated in the future: a clock that ran ahead made them. */
  futureDated: CatalogEntry[]
  /** Ids of unencrypted backups, if a key is given: anything that can write at the destination could have made them. */
  unencrypted: string[]
  /** Encrypted backups, if no key is given. */
  encrypted: CatalogEntry[]
  /** Paths of invalid catalog entries. */
  invalidPaths: string[]
}

/** Reads the catalog entries of a destination. */
export async function listBackups(store: BackupStore, now = new Date()): Promise<AvailableBackups> {
  const available: AvailableBackups = { backups: [], futureDated: [], unencrypted: [], encrypted: [], invalidPaths: [] }
  for await (const path of store.storage.list(BACKUP_BUCKET, '')) {
    if (!path.endsWith(`/${CATALOG_FILE}`)) continue
    const catalogEntry = await readCatalogEntry(store, path)
    if (!catalogEntry) available.invalidPaths.push(path)
    else if (store.cipher && !catalogEntry.cifrada) available.unencrypted.push(catalogEntry.id)
    else if (!store.cipher && catalogEntry.cifrada) available.encrypted.push(catalogEntry)
    else if (isInFuture(new Date(catalogEntry.momento), now)) available.futureDated.push(catalogEntry)
    else available.backups.push(catalogEntry)
  }
  const newestFirst = (a: CatalogEntry, b: CatalogEntry) => Date.parse(b.momento) - Date.parse(a.momento)
  available.backups.sort(newestFirst)
  available.encrypted.sort(newestFirst)
  return available
}

/** Reads a catalog entry. @returns undefined if it is missing or invalid */
export async function readCatalogEntry(
  { storage }: Pick<BackupStore, 'storage'>,
  path: string,
): Promise<CatalogEntry | undefined> {
  const catalogBytes = await readSmallObject(storage, BACKUP_BUCKET, path, MAX_CATALOG_ENTRY_BYTES)
  if (!catalogBytes) return undefined
  try {
    const parsedEntry = v.safeParse(CatalogEntrySchema, JSON.parse(Buffer.from(catalogBytes).toString()))
    return parsedEntry.success && path === `${parsedEntry.output.id}/${CATALOG_FILE}` ? parsedEntry.output : undefined
  } catch {
    return undefined
  }
}

/** The manifest is intact, but belongs to another backup than its catalog entry: the files were swapped. */
export class SwappedBackupFault extends BackupFault {}

/**
 * Reads a backup's manifest and checks it against the catalog entry: checksum, id and moment.
 * @throws BackupFault if the manifest is damaged or swapped; StartError for an encrypted backup without a key, and an unencrypted
 * one with a key
 */
export async function readManifest(store: BackupStore, catalogEntry: CatalogEntry): Promise<Manifest> {
  const { id, cifrada, momento } = catalogEntry
  if (cifrada && !store.cipher)
    throw new StartError(
      'Este respaldo está cifrado: pon en BACKUP_KEY la clave con que se hizo, o la que se imprimió desde el panel.',
    )
  // Without this check an attacker who can write at the destination could put a forged backup in front of the real ones.
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
  const maxBytes = Math.min(MAX_MANIFEST_BYTES, 1_048_576 + size * MAX_MANIFEST_GROWTH)
  const text = await buffer(await store.read(BACKUP_BUCKET, path, { compressed: true, storedSha256: sha256, maxBytes }))
  return v.parse(ManifestSchema, JSON.parse(text.toString()))
}
