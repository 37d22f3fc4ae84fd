import { erasuresInForce, readErasuresBesideBackups } from '#app/core/db/erasure-log.server.ts'
import { BACKUP_BUCKET, SHARED_OBJECT_BUCKET } from '#app/core/storage/age-encryption.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { CATALOG_ENTRY_FILE, listBackups, readManifest } from './catalog.server.ts'
import { idsToKeep, type RotationRule } from './rotation.ts'
import { BACKUP_ID_PATTERN, type CatalogEntry, isInFuture, type Manifest } from './schema.ts'
import type { BackupStore } from './store.server.ts'

/** An object that no backup names stays up to this age, since another site may be making a backup that names it. */
const MIN_ORPHAN_AGE_MS = DAY_MS
/** A backup without a catalog entry counts as abandoned from this age on. */
const MIN_ABANDONED_AGE_MS = 3 * DAY_MS
/**
 * An unreadable backup up to this age keeps every object that is not an erased entry's. It is the year of ROTATION_RULE, plus a
 * month.
 */
const MAX_UNREADABLE_AGE_MS = 400 * DAY_MS
const OBJECT_PATH = /^[0-9a-f]{2}\/[0-9a-f]{64}(\.age)?$/

/** The site whose backups are pruned, and the objects that must stay. */
export interface PruneOptions {
  /** Id of the backup that was just made. */
  id: string
  /** Identity of this site among others with the same destination (`siteIdentity`). */
  siteId: string
  publicUrl: string
  /** Names of the objects that the backup that was just made and the database need. */
  neededObjects: ReadonlySet<string>
  /** Time of the machine's clock. The clock guard has checked that it does not run ahead. */
  now: Date
}

interface ParsedBackup {
  id: string
  moment: Date
  /** Whether rotation may remove the backup, which must be an earlier one of this site and not dated in the future. */
  isRemovable: boolean
  /** Names of the backup's objects, except those of erased entries. */
  objectNames: string[]
}

/**
 * Removes backups of this site that the rule does not keep, abandoned backups of any site, objects that no remaining backup
 * needs, and objects of erased entries. Other sites' complete backups and other programs' files stay. An unreadable backup stays and, up to
 * MAX_UNREADABLE_AGE_MS, so do all objects that it may need; an invalid catalog entry keeps them at any age.
 * @returns number of removed backups, and Spanish notices about files that should not be there
 */
export async function pruneBackups(
  store: BackupStore,
  { id: newestId, siteId, publicUrl, neededObjects, now }: PruneOptions,
  rule: RotationRule,
): Promise<{ quitadas: number; avisos: string[] }> {
  const { storage } = store
  const erasedFingerprints = new Set(
    erasuresInForce(await readErasuresBesideBackups(storage)).map(({ huella }) => huella),
  )
  const listing = await listBackups(store, now)
  // Equal strings are kept in memory once, since many backups name the same objects.
  const sharedNames = new Map<string, string>()
  const sharedName = (name: string) => {
    if (!sharedNames.has(name)) sharedNames.set(name, name)
    return sharedNames.get(name)!
  }
  const erasedObjects = new Set<string>()
  const [parsedBackups, unreadableEntries]: [ParsedBackup[], CatalogEntry[]] = [[], []]
  const isOfThisSite = (manifest: Manifest) =>
    manifest.sitio === undefined ? manifest.publicUrl === publicUrl : manifest.sitio === siteId
  // Manifests are read one at a time, since they may be long.
  for (const catalogEntry of [...listing.backups, ...listing.futureDated]) {
    const manifest = await readManifest(store, catalogEntry).catch(() => undefined)
    if (!manifest) {
      unreadableEntries.push(catalogEntry)
      continue
    }
    const moment = new Date(manifest.momento)
    const objectsOfErased = manifest.objetos.filter(({ de }) => de !== undefined && erasedFingerprints.has(de))
    // An unencrypted backup names objects by their checksum.
    for (const { guardado, sha256 } of objectsOfErased)
      erasedObjects.add(guardado.nombre).add(`${sha256.slice(0, 2)}/${sha256}`)
    const remainingObjects = manifest.objetos.filter(({ de }) => de === undefined || !erasedFingerprints.has(de))
    parsedBackups.push({
      id: catalogEntry.id,
      moment,
      isRemovable: catalogEntry.id !== newestId && isOfThisSite(manifest) && !isInFuture(moment, now),
      objectNames: remainingObjects.map(({ guardado }) => sharedName(guardado.nombre)),
    })
  }
  const keptIds = idsToKeep(
    parsedBackups.filter(({ id, isRemovable }) => isRemovable || id === newestId),
    rule,
  )
  const idsToRemove = new Set(
    parsedBackups.filter(({ id, isRemovable }) => isRemovable && !keptIds.has(id)).map(({ id }) => id),
  )
  const neededPaths = new Set(neededObjects)
  for (const { id, objectNames } of parsedBackups)
    if (!idsToRemove.has(id)) for (const name of objectNames) neededPaths.add(name)
  await removeBackups(store, idsToRemove, now)
  const mustKeepOrphans =
    unreadableEntries.some(({ momento }) => now.getTime() - Date.parse(momento) < MAX_UNREADABLE_AGE_MS) ||
    listing.invalidPaths.length > 0
  const isStale = async (path: string) => {
    const modifiedAt = await storage.modifiedAt(SHARED_OBJECT_BUCKET, path)
    return modifiedAt !== undefined && now.getTime() - modifiedAt.getTime() > MIN_ORPHAN_AGE_MS
  }
  const orphans: string[] = []
  for await (const path of storage.list(SHARED_OBJECT_BUCKET, ''))
    if (OBJECT_PATH.test(path) && !neededPaths.has(path)) orphans.push(path)
  for (const path of orphans) {
    const hasOurEncryption = path.endsWith('.age') === (store.cipher !== undefined)
    if (erasedObjects.has(path) || (hasOurEncryption && !mustKeepOrphans && (await isStale(path))))
      await storage.remove(SHARED_OBJECT_BUCKET, path)
  }
  const foreignCount = parsedBackups.filter(
    ({ id, isRemovable, moment }) => !isRemovable && id !== newestId && moment <= now,
  ).length
  return { quitadas: idsToRemove.size, avisos: noticesOf(listing, unreadableEntries.length, foreignCount) }
}

/** Removes backups, and the files of abandoned backups. */
async function removeBackups({ storage }: BackupStore, idsToRemove: ReadonlySet<string>, now: Date): Promise<void> {
  const pathsById = new Map<string, string[]>()
  for await (const path of storage.list(BACKUP_BUCKET, '')) {
    const [id] = path.split('/') as [string]
    if (BACKUP_ID_PATTERN.test(id)) pathsById.set(id, [...(pathsById.get(id) ?? []), path])
  }
  for (const [id, backupPaths] of pathsById) {
    const catalogPath = `${id}/${CATALOG_ENTRY_FILE}`
    if (!idsToRemove.has(id)) {
      if (backupPaths.includes(catalogPath)) continue
      const ages = await Promise.all(backupPaths.map((path) => storage.modifiedAt(BACKUP_BUCKET, path)))
      if (!ages.every((at) => at !== undefined && now.getTime() - at.getTime() > MIN_ABANDONED_AGE_MS)) continue
    }
    // The catalog entry is removed first, so that an incompletely removed backup is invalid.
    for (const path of [catalogPath, ...backupPaths.filter((backupPath) => backupPath !== catalogPath)])
      await storage.remove(BACKUP_BUCKET, path)
  }
}

function noticesOf(
  listing: Awaited<ReturnType<typeof listBackups>>,
  unreadableCount: number,
  foreignCount: number,
): string[] {
  const notices: string[] = []
  const addNotice = (count: number, text: string) => count > 0 && notices.push(`${count} ${text}`)
  addNotice(
    listing.untrustedIds.length,
    'copias de ahí no están cifradas y no se tocaron: si no son tuyas, alguien más escribe ahí; si lo son, bórralas a mano.',
  )
  addNotice(
    unreadableCount,
    'copias de ahí no se pueden leer y no se tocaron; mientras estén, no se borra nada que puedan necesitar.',
  )
  addNotice(
    listing.invalidPaths.length,
    'archivos caratula.json de ahí no lo son y no se tocaron: bórralos a mano, con su carpeta.',
  )
  addNotice(
    listing.futureDated.length,
    'copias de ahí tienen fecha futura (se hicieron con el reloj adelantado) y no cuentan hasta que llegue.',
  )
  addNotice(
    foreignCount,
    'copias de ahí son de otro sitio, o de otra dirección de éste, y no se tocaron: cada sitio debe tener su propio lugar.',
  )
  return notices
}
