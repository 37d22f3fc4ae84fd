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
import { withTemporal } from '#app/core/storage/temp-folders.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { BUCKET as RECORDS } from '#app/voting/tally/record-file.server.ts'
import {
  BACKUPS,
  CATALOG_FILE,
  listBackups,
  readCatalogEntry,
  readManifest,
  SwappedBackupFault,
} from './catalog.server.ts'
import { BackupFault } from './fault.server.ts'
import { assertDatabaseEmpty, loadBase } from './load-database.server.ts'
import { type Accounts, type CatalogEntry, COUNTED_TABLES, ID, type Manifest } from './schema.ts'
import type { BackupStore } from './store.server.ts'

/** Buckets of a site; a foreign object in one of them means that the storage is not empty. */
const BUCKETS = [...Object.values(FORMS).map(({ bucket }) => bucket), EDITION, RECORDS]
const AT_ONCE = 4
const EVERY_MS = 1_000

type Dice = (progress: string) => void

/** Shown for an unencrypted backup: a writer at the destination could have changed its files together with their checksums. */
const UNENCRYPTED_NOTICE =
  'Este respaldo no está cifrado: no se puede saber si lo cambió alguien que pueda escribir donde está. Restáuralo sólo si ese lugar es tuyo.'

export interface OpenedBackup {
  almacen: BackupStore
  caratula: CatalogEntry
  manifiesto: Manifest
  /** Fingerprints of erased entries, from the log beside the backups: their objects are neither restored nor missed. */
  suprimidas: ReadonlySet<string>
}

/**
 * @param id the backup to open; undefined: the newest
 * @throws StartError when there is no such backup, or it is damaged
 */
export async function openBackup(store: BackupStore, id?: string, dice: Dice = () => {}): Promise<OpenedBackup> {
  const { caratula, manifiesto } = await (id === undefined ? openNewest(store, dice) : openOne(store, id))
  if (!caratula.cifrada) dice(UNENCRYPTED_NOTICE)
  const erased = new Set(inForce(await readErasuresOf(store.storage)).map(({ huella }) => huella))
  return { almacen: store, caratula, manifiesto, suprimidas: erased }
}

async function openOne(store: BackupStore, id: string) {
  const catalogEntry = ID.test(id) ? await readCatalogEntry(store, `${id}/${CATALOG_FILE}`) : undefined
  if (catalogEntry) return { caratula: catalogEntry, manifiesto: await readManifest(store, catalogEntry) }
  const ids: string[] = []
  for await (const path of store.storage.list(BACKUPS, ''))
    if (path.endsWith(`/${CATALOG_FILE}`)) ids.push(path.split('/')[0]!)
  throw new BackupFault(
    `En ${store.nombre} no está el respaldo ${id}, o su carátula está dañada. Hay: ${ids.toReversed().slice(0, 30).join(', ') || 'ninguno'}.`,
    'El respaldo no está, o su carátula está dañada.',
  )
}

async function openNewest(store: BackupStore, dice: Dice) {
  const { copias, futuras, sinCifrar, cifradas, raras } = await listBackups(store)
  for (const path of raras) dice(`Se pasó por alto un archivo que no es de un respaldo, o está dañado: ${path}.`)
  if (sinCifrar.length > 0 && copias.length + futuras.length > 0)
    dice(`Se pasaron por alto ${sinCifrar.length} respaldos sin cifrar: pudo ponerlos ahí otra persona.`)
  for (const una of futuras)
    dice(
      `El respaldo ${una.id} tiene fecha futura (${una.momento}): se hizo con el reloj adelantado. Para usarlo, pídelo con --copia.`,
    )
  for (const [at, catalogEntry] of copias.entries()) {
    // A newer backup that cannot be decrypted must not be skipped silently.
    if (cifradas[0] && cifradas[0].momento > catalogEntry.momento) break
    try {
      return { caratula: catalogEntry, manifiesto: await readManifest(store, catalogEntry) }
    } catch (error) {
      const next = copias[at + 1]
      if (error instanceof SwappedBackupFault && next) dice(error.message)
      else if (error instanceof BackupFault && next)
        throw new BackupFault(`${error.message} El anterior es --copia ${next.id}.`, error.resumen)
      else throw error
    }
  }
  if (cifradas[0]) await readManifest(store, cifradas[0])
  if (futuras[0])
    throw new BackupFault(
      `En ${store.nombre} sólo hay respaldos de fecha futura. Revisa el reloj de esta máquina, o elige uno: --copia ${futuras[0].id}.`,
      'Sólo hay respaldos de fecha futura.',
    )
  const [plain] = sinCifrar
  if (plain !== undefined) await openOne(store, plain)
  throw new BackupFault(`En ${store.nombre} no hay ningún respaldo entero.`, 'No hay ningún respaldo entero.')
}

/**
 * @throws StartError when the target holds other data: a restore never overwrites. Objects from an interrupted restore
 * of the same backup are allowed.
 */
export async function assertTargetEmpty(
  pool: pg.Pool,
  storage: ObjectStorage,
  { manifiesto }: OpenedBackup,
): Promise<void> {
  await assertDatabaseEmpty(pool)
  const own = new Set(manifiesto.objetos.map(({ bucket, path }) => `${bucket}/${path}`))
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
export async function restoreBase(
  pool: pg.Pool,
  { almacen, manifiesto }: OpenedBackup,
  migrations: string,
  dice: Dice,
): Promise<{ difieren: string[] }> {
  const storedNames = new Map(manifiesto.tablas.map(({ nombre, guardado }) => [nombre, guardado.nombre]))
  return loadBase(pool, manifiesto, migrations, dice, ({ nombre }) =>
    almacen.abre('copias', storedNames.get(nombre)!, { comprime: true }),
  )
}

type ObjectRecord = Manifest['objetos'][number]

/**
 * Reads every object of a backup and verifies its checksum; with a destination, writes the object there. Objects that
 * are there already stay, so that an interrupted restore can continue. Objects of erased entries are left out.
 * @returns damaged or missing objects, `bucket/path`
 */
export async function restoreObjects(
  { almacen, manifiesto, suprimidas }: OpenedBackup,
  destination: { storage: ObjectStorage; dataDir: string } | undefined,
  dice: Dice,
): Promise<string[]> {
  const wanted = manifiesto.objetos.filter(({ de }) => de === undefined || !suprimidas.has(de))
  const bad: string[] = []
  const said = { at: Date.now() }
  let done = 0
  const one = async (object: ObjectRecord) => {
    const isGood = destination ? await place(almacen, destination, object) : await isWhole(almacen, object)
    if (!isGood) bad.push(`${object.bucket}/${object.path}`)
    done++
    if (Date.now() - said.at < EVERY_MS) return
    said.at = Date.now()
    dice(`Documentos: ${done} de ${wanted.length}.`)
  }
  const limit = pLimit(AT_ONCE)
  await Promise.all(wanted.map((object) => limit(one, object)))
  dice(`Documentos: ${wanted.length - bad.length} de ${wanted.length}.`)
  return bad
}

async function isWhole(store: BackupStore, { guardado, sha256 }: ObjectRecord): Promise<boolean> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of await store.abre('objetos', guardado.nombre)) hash.update(chunk)
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
  return withTemporal(dataDir, async (folder) => {
    const file = join(folder, 'objeto')
    try {
      const opened = await store.abre('objetos', guardado.nombre)
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
export const tablaDe = (backup: Accounts, here: Accounts, where = 'en el respaldo'): string =>
  [
    ['', where, where === 'antes' ? 'ahora' : 'aquí'],
    ...COUNTED_TABLES.map(({ nombre }) => [nombre, String(backup[nombre]), String(here[nombre])]),
  ]
    .map(([name, before, now]) => `${name!.padEnd(15)}${before!.padStart(16)}${now!.padStart(12)}`)
    .join('\n')
