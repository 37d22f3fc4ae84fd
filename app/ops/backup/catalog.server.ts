import { buffer } from 'node:stream/consumers'
import * as v from 'valibot'
import { StartError } from '#app/core/process/start-error.server.ts'
import { BACKUPS } from '#app/core/storage/age-encryption.server.ts'
import { readSmallObject } from '#app/core/storage/read-small-object.server.ts'
import { BackupFault } from './fault.server.ts'
import { type CatalogEntry, CatalogEntrySchema, isInFuture, type Manifest, ManifestSchema } from './schema.ts'
import type { BackupStore } from './store.server.ts'

export const CATALOG_FILE = 'caratula.json'
const MAX_CATALOG_ENTRY_BYTES = 16_384
/**
 * A manifest may grow at most this many times on decompression. It is text with many checksums and grows about threefold; a
 * decompression bomb grows by far more.
 */
const MAX_GROWTH = 40
const MAX_MANIFEST_BYTES = 128 * 1_048_576

/** AvailableBackups are what a destination holds. */
export interface AvailableBackups {
  /** These backups can be restored here, newest first; none is dated in the future. */
  backups: CatalogEntry[]
  /** These backups are dated in the future: a clock that ran ahead made them. */
  futureDated: CatalogEntry[]
  /** These ids are of unencrypted backups, where a key is given: a writer at the destination needs no key to make them. */
  unencrypted: string[]
  /** These backups are encrypted, and no key is given. */
  encrypted: CatalogEntry[]
  /** At these paths lie invalid catalog entries. */
  invalidPaths: string[]
}

/** Reads the catalog entries of a destination. Invalid ones are listed, and stop nothing. */
export async function listBackups(store: BackupStore, now = new Date()): Promise<AvailableBackups> {
  const found: AvailableBackups = { backups: [], futureDated: [], unencrypted: [], encrypted: [], invalidPaths: [] }
  for await (const path of store.storage.list(BACKUPS, '')) {
    if (!path.endsWith(`/${CATALOG_FILE}`)) continue
    const catalogEntry = await readCatalogEntry(store, path)
    if (!catalogEntry) found.invalidPaths.push(path)
    else if (store.cipher && !catalogEntry.cifrada) found.unencrypted.push(catalogEntry.id)
    else if (!store.cipher && catalogEntry.cifrada) found.encrypted.push(catalogEntry)
    else if (isInFuture(new Date(catalogEntry.momento), now)) found.futureDated.push(catalogEntry)
    else found.backups.push(catalogEntry)
  }
  const newestFirst = (a: CatalogEntry, b: CatalogEntry) => Date.parse(b.momento) - Date.parse(a.momento)
  found.backups.sort(newestFirst)
  found.encrypted.sort(newestFirst)
  return found
}

/** Reads a catalog entry. @returns undefined when it is missing or invalid */
export async function readCatalogEntry(
  { storage }: Pick<BackupStore, 'storage'>,
  path: string,
): Promise<CatalogEntry | undefined> {
  const catalogBytes = await readSmallObject(storage, BACKUPS, path, MAX_CATALOG_ENTRY_BYTES)
  if (!catalogBytes) return undefined
  try {
    const parsedEntry = v.safeParse(CatalogEntrySchema, JSON.parse(Buffer.from(catalogBytes).toString()))
    return parsedEntry.success && path === `${parsedEntry.output.id}/${CATALOG_FILE}` ? parsedEntry.output : undefined
  } catch {
    return undefined
  }
}

/** An intact manifest belongs to another backup than its catalog entry: the files were swapped. */
export class SwappedBackupFault extends BackupFault {}

/**
 * Reads a backup's manifest and checks it against the catalog entry: checksum, id and moment. An encrypted manifest can
 * only have been written with the key.
 * @throws BackupFault when the manifest is damaged or swapped; StartError when an encrypted backup has no key, or an
 * unencrypted one has a key
 */
export async function readManifest(store: BackupStore, catalogEntry: CatalogEntry): Promise<Manifest> {
  const { id, cifrada, momento } = catalogEntry
  if (cifrada && !store.cipher)
    throw new StartError(
      'Este respaldo está cifrado: pon en BACKUP_KEY la clave con que se hizo, o la que se imprimió desde el panel.',
    )
  // A writer at the destination without the key could put a forged backup in front of the real ones.
  if (!cifrada && store.cipher)
    throw new StartError(
      `El respaldo ${id} no está cifrado, y se dio BACKUP_KEY: pudo ponerlo ahí otra persona. Elige otro con --copia; si es tuyo, repite la orden sin BACKUP_KEY.`,
    )
  const manifest = await readList(store, catalogEntry).catch((error: unknown) => {
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

async function readList(store: BackupStore, { id, manifiesto: { sha256 } }: CatalogEntry): Promise<Manifest> {
  const path = `${id}/manifiesto`
  const size = (await store.storage.head(BACKUPS, path))?.size ?? 0
  const maxBytes = Math.min(MAX_MANIFEST_BYTES, 1_048_576 + size * MAX_GROWTH)
  const text = await buffer(await store.read(BACKUPS, path, { compressed: true, storedSha256: sha256, maxBytes }))
  return v.parse(ManifestSchema, JSON.parse(text.toString()))
}
