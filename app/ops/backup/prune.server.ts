import { erasuresInForce, readErasuresBesideBackups } from '#app/core/db/erasure-log.server.ts'
import { BACKUPS, OBJECTS } from '#app/core/storage/age-encryption.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { CATALOG_FILE, listBackups, readManifest } from './catalog.server.ts'
import { type Rule, remaining } from './rotation.ts'
import { type CatalogEntry, ID, isInFuture, type Manifest } from './schema.ts'
import type { BackupStore } from './store.server.ts'

/** An object that no backup names may go at this age: another site may be making the backup that names a younger one. */
const ORPHAN_MS = DAY_MS
/** A backup without a catalog entry counts as abandoned at this age. */
const ABANDONED_MS = 3 * DAY_MS
/** Up to this age an unreadable backup keeps every object: the longest that any backup is kept, and a month. */
const UNREADABLE_MS = 400 * DAY_MS
const OBJECT_PATH = /^[0-9a-f]{2}\/[0-9a-f]{64}(\.age)?$/

/** The options name the site whose backups are pruned, and the objects that must stay. */
export interface PruneOptions {
  /** The backup that was just made has this id. */
  id: string
  /** The id tells this site from others at the same destination. */
  siteId: string
  publicUrl: string
  /** The backup that was just made, and the database, name these objects. */
  neededObjects: ReadonlySet<string>
  /** The machine's clock, which is known not to run ahead, says this. */
  now: Date
}

interface ReadBackup {
  id: string
  moment: Date
  /** Rotation may remove an earlier backup of this site that is not dated in the future. */
  mayBeRemoved: boolean
  objectNames: string[]
}

/**
 * Removes this site's backups that the rule does not keep, and objects that no remaining backup needs; objects of erased
 * entries at once. Files of other sites and programs, and unreadable backups, stay, and prevent the removal of objects.
 * @returns number of removed backups, and Spanish sentences about files that stayed and should not be there
 */
export async function pruneBackups(
  store: BackupStore,
  { id: newestId, siteId, publicUrl, neededObjects, now }: PruneOptions,
  rule: Rule,
): Promise<{ quitadas: number; avisos: string[] }> {
  const { storage } = store
  const erasedFingerprints = new Set(
    erasuresInForce(await readErasuresBesideBackups(storage)).map(({ huella }) => huella),
  )
  const listing = await listBackups(store, now)
  // Many backups name the same objects, so each name is kept once.
  const sharedNames = new Map<string, string>()
  const sharedName = (name: string) => {
    if (!sharedNames.has(name)) sharedNames.set(name, name)
    return sharedNames.get(name)!
  }
  const erasedObjects = new Set<string>()
  const [parsed, unreadable]: [ReadBackup[], CatalogEntry[]] = [[], []]
  const isOwn = (one: Manifest) => (one.sitio === undefined ? one.publicUrl === publicUrl : one.sitio === siteId)
  // Manifests are read one at a time, since each may be long.
  for (const catalogEntry of [...listing.backups, ...listing.futureDated]) {
    const manifest = await readManifest(store, catalogEntry).catch(() => undefined)
    if (!manifest) {
      unreadable.push(catalogEntry)
      continue
    }
    const moment = new Date(manifest.momento)
    const entryObjects = manifest.objetos.filter(({ de }) => de !== undefined && erasedFingerprints.has(de))
    // An unencrypted backup names objects by their checksum.
    for (const { guardado, sha256 } of entryObjects)
      erasedObjects.add(guardado.nombre).add(`${sha256.slice(0, 2)}/${sha256}`)
    const remainingObjects = manifest.objetos.filter(({ de }) => de === undefined || !erasedFingerprints.has(de))
    parsed.push({
      id: catalogEntry.id,
      moment,
      mayBeRemoved: catalogEntry.id !== newestId && isOwn(manifest) && !isInFuture(moment, now),
      objectNames: remainingObjects.map(({ guardado }) => sharedName(guardado.nombre)),
    })
  }
  const keptIds = remaining(
    parsed.filter(({ id, mayBeRemoved }) => mayBeRemoved || id === newestId),
    rule,
  )
  const idsToRemove = new Set(
    parsed.filter(({ id, mayBeRemoved }) => mayBeRemoved && !keptIds.has(id)).map(({ id }) => id),
  )
  const neededPaths = new Set(neededObjects)
  for (const { id, objectNames } of parsed)
    if (!idsToRemove.has(id)) for (const name of objectNames) neededPaths.add(name)
  await removeBackups(store, idsToRemove, now)
  const mustKeepOrphans =
    unreadable.some((one) => now.getTime() - Date.parse(one.momento) < UNREADABLE_MS) || listing.invalidPaths.length > 0
  const isStale = async (path: string) => {
    const at = await storage.modifiedAt(OBJECTS, path)
    return at !== undefined && now.getTime() - at.getTime() > ORPHAN_MS
  }
  const orphans: string[] = []
  for await (const path of storage.list(OBJECTS, ''))
    if (OBJECT_PATH.test(path) && !neededPaths.has(path)) orphans.push(path)
  for (const path of orphans) {
    const hasOurEncryption = path.endsWith('.age') === (store.cipher !== undefined)
    if (erasedObjects.has(path) || (hasOurEncryption && !mustKeepOrphans && (await isStale(path))))
      await storage.remove(OBJECTS, path)
  }
  const foreignCount = parsed.filter(
    ({ id, mayBeRemoved, moment }) => !mayBeRemoved && id !== newestId && moment <= now,
  ).length
  return { quitadas: idsToRemove.size, avisos: noticesOf(listing, unreadable.length, foreignCount) }
}

/** Removes backups, and remains of abandoned ones. */
async function removeBackups({ storage }: BackupStore, idsToRemove: ReadonlySet<string>, now: Date): Promise<void> {
  const paths = new Map<string, string[]>()
  for await (const path of storage.list(BACKUPS, '')) {
    const [id] = path.split('/') as [string]
    if (ID.test(id)) paths.set(id, [...(paths.get(id) ?? []), path])
  }
  for (const [id, backupPaths] of paths) {
    const catalogPath = `${id}/${CATALOG_FILE}`
    if (!idsToRemove.has(id)) {
      if (backupPaths.includes(catalogPath)) continue
      const ages = await Promise.all(backupPaths.map((path) => storage.modifiedAt(BACKUPS, path)))
      if (!ages.every((at) => at !== undefined && now.getTime() - at.getTime() > ABANDONED_MS)) continue
    }
    // The catalog entry goes first: without it, half a backup is invalid.
    for (const path of [catalogPath, ...backupPaths.filter((one) => one !== catalogPath)])
      await storage.remove(BACKUPS, path)
  }
}

function noticesOf(
  listing: Awaited<ReturnType<typeof listBackups>>,
  unreadable: number,
  foreignCount: number,
): string[] {
  const said: string[] = []
  const say = (count: number, words: string) => count > 0 && said.push(`${count} ${words}`)
  say(
    listing.unencrypted.length,
    'copias de ahí no están cifradas y no se tocaron: si no son tuyas, alguien más escribe ahí; si lo son, bórralas a mano.',
  )
  say(
    unreadable,
    'copias de ahí no se pueden leer y no se tocaron; mientras estén, no se borra nada que puedan necesitar.',
  )
  say(
    listing.invalidPaths.length,
    'archivos caratula.json de ahí no lo son y no se tocaron: bórralos a mano, con su carpeta.',
  )
  say(
    listing.futureDated.length,
    'copias de ahí tienen fecha futura (se hicieron con el reloj adelantado) y no cuentan hasta que llegue.',
  )
  say(
    foreignCount,
    'copias de ahí son de otro sitio, o de otra dirección de éste, y no se tocaron: cada sitio debe tener su propio lugar.',
  )
  return said
}
