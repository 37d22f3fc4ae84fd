import { buffer } from 'node:stream/consumers'
import * as v from 'valibot'
import { StartError } from '#app/core/process/start-error.server.ts'
import { readSmall } from '#app/core/storage/read-small-object.server.ts'
import { BackupFault } from './fault.server.ts'
import { type CatalogEntry, CatalogEntrySchema, type Manifest, ManifestSchema } from './schema.ts'
import type { BackupStore } from './store.server.ts'

export const BACKUPS = 'copias'
export const CATALOG_FILE = 'caratula.json'
const MAX_CATALOG_ENTRY_BYTES = 16_384
/** A list is text with many sums, which shrinks to a third; what grows by far more was made to fill a memory. */
const MAX_GROWTH = 40
const MAX_MANIFEST_BYTES = 128 * 1_048_576
/** Machines differ by so much without either being wrong. */
const APART_MS = 5 * 60_000

/** What there is in a place of copies. */
export interface AvailableBackups {
  /** Those that can be restored here, newest first; none of a moment that is still to come. */
  copias: CatalogEntry[]
  /** Of a moment that is still to come: the clock was wrong when they were made. */
  futuras: CatalogEntry[]
  /** Not encrypted, though a key was given: whoever can write there could have made them. */
  sinCifrar: string[]
  /** Encrypted, and no key was given. */
  cifradas: CatalogEntry[]
  /** Paths of front pages that are none. */
  raras: string[]
}

/** Reads the front pages of a place. What is none of ours is named and keeps nothing from going on. */
export async function listBackups(store: BackupStore, now = new Date()): Promise<AvailableBackups> {
  const hay: AvailableBackups = { copias: [], futuras: [], sinCifrar: [], cifradas: [], raras: [] }
  for await (const path of store.storage.list(BACKUPS, '')) {
    if (!path.endsWith(`/${CATALOG_FILE}`)) continue
    const catalogEntry = await readCatalogEntry(store, path)
    if (!catalogEntry) hay.raras.push(path)
    else if (store.cifra && !catalogEntry.cifrada) hay.sinCifrar.push(catalogEntry.id)
    else if (!store.cifra && catalogEntry.cifrada) hay.cifradas.push(catalogEntry)
    else if (isFutureBackup(catalogEntry, now)) hay.futuras.push(catalogEntry)
    else hay.copias.push(catalogEntry)
  }
  const newestFirst = (a: CatalogEntry, b: CatalogEntry) => Date.parse(b.momento) - Date.parse(a.momento)
  hay.copias.sort(newestFirst)
  hay.cifradas.sort(newestFirst)
  return hay
}

export const isFutureBackup = ({ momento }: Pick<CatalogEntry, 'momento'>, now: Date): boolean =>
  Date.parse(momento) > now.getTime() + APART_MS

/** @returns undefined where there is no front page, or what is there is none */
export async function readCatalogEntry(
  { storage }: Pick<BackupStore, 'storage'>,
  path: string,
): Promise<CatalogEntry | undefined> {
  const page = await readSmall(storage, BACKUPS, path, MAX_CATALOG_ENTRY_BYTES)
  if (!page) return undefined
  try {
    const read = v.safeParse(CatalogEntrySchema, JSON.parse(Buffer.from(page).toString()))
    return read.success && path === `${read.output.id}/${CATALOG_FILE}` ? read.output : undefined
  } catch {
    return undefined
  }
}

/** Thrown where a list is whole and belongs to another copy than the front page says: somebody put it there. */
export class SwappedBackupFault extends BackupFault {}

/**
 * A copy's list, of which the front page says the sum: both name the same copy and moment. What is encrypted can only have
 * been written by whoever has the key.
 * @throws BackupFault when it is not as it was written; StartError when no key is given, or one is and it is not encrypted
 */
export async function readManifest(store: BackupStore, catalogEntry: CatalogEntry): Promise<Manifest> {
  const { id, cifrada, momento } = catalogEntry
  if (cifrada && !store.cifra)
    throw new StartError('Este respaldo está cifrado: pon en BACKUP_KEY la clave con que se hizo.')
  // Whoever can write there, but has no key, could put a copy of the own making in front of the real ones.
  if (!cifrada && store.cifra)
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
  const tope = Math.min(MAX_MANIFEST_BYTES, 1_048_576 + size * MAX_GROWTH)
  const text = await buffer(await store.abre(BACKUPS, path, { comprime: true, sellado: sha256, tope }))
  return v.parse(ManifestSchema, JSON.parse(text.toString()))
}
