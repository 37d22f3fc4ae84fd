import { erasuresInForce, readErasuresBesideBackups } from '#app/core/db/erasure-log.server.ts'
import { BACKUPS, OBJECTS } from '#app/core/storage/age-encryption.server.ts'
import { DAY_MS } from '#app/core/time/mexico-dates.ts'
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
  { id: own, siteId, publicUrl, neededObjects, now }: PruneOptions,
  rule: Rule,
): Promise<{ quitadas: number; avisos: string[] }> {
  const { storage } = store
  const gone = new Set(erasuresInForce(await readErasuresBesideBackups(storage)).map(({ huella }) => huella))
  const found = await listBackups(store, now)
  // Many backups name the same objects, so each name is kept once.
  const known = new Map<string, string>()
  const once = (name: string) => {
    if (!known.has(name)) known.set(name, name)
    return known.get(name)!
  }
  const erasedObjects = new Set<string>()
  const [parsed, unreadable]: [ReadBackup[], CatalogEntry[]] = [[], []]
  const isOwn = (one: Manifest) => (one.sitio === undefined ? one.publicUrl === publicUrl : one.sitio === siteId)
  // Manifests are read one at a time, since each may be long.
  for (const catalogEntry of [...found.backups, ...found.futureDated]) {
    const manifest = await readManifest(store, catalogEntry).catch(() => undefined)
    if (!manifest) {
      unreadable.push(catalogEntry)
      continue
    }
    const moment = new Date(manifest.momento)
    const entryObjects = manifest.objetos.filter(({ de }) => de !== undefined && gone.has(de))
    // An unencrypted backup names objects by their checksum.
    for (const { guardado, sha256 } of entryObjects)
      erasedObjects.add(guardado.nombre).add(`${sha256.slice(0, 2)}/${sha256}`)
    const rest = manifest.objetos.filter(({ de }) => de === undefined || !gone.has(de))
    parsed.push({
      ...{ id: catalogEntry.id, moment },
      mayBeRemoved: catalogEntry.id !== own && isOwn(manifest) && !isInFuture(moment, now),
      objectNames: rest.map(({ guardado }) => once(guardado.nombre)),
    })
  }
  const stay = remaining(
    parsed.filter(({ id, mayBeRemoved }) => mayBeRemoved || id === own),
    rule,
  )
  const going = new Set(parsed.filter(({ id, mayBeRemoved }) => mayBeRemoved && !stay.has(id)).map(({ id }) => id))
  const needed = new Set(neededObjects)
  for (const { id, objectNames } of parsed) if (!going.has(id)) for (const name of objectNames) needed.add(name)
  await removeBackups(store, going, now)
  const holds =
    unreadable.some((one) => now.getTime() - Date.parse(one.momento) < UNREADABLE_MS) || found.invalidPaths.length > 0
  const isStale = async (path: string) => {
    const at = await storage.modifiedAt(OBJECTS, path)
    return at !== undefined && now.getTime() - at.getTime() > ORPHAN_MS
  }
  const orphans: string[] = []
  for await (const path of storage.list(OBJECTS, ''))
    if (OBJECT_PATH.test(path) && !needed.has(path)) orphans.push(path)
  for (const path of orphans) {
    const isOurKind = path.endsWith('.age') === (store.cipher !== undefined)
    if (erasedObjects.has(path) || (isOurKind && !holds && (await isStale(path)))) await storage.remove(OBJECTS, path)
  }
  const foreignCount = parsed.filter(
    ({ id, mayBeRemoved, moment }) => !mayBeRemoved && id !== own && moment <= now,
  ).length
  return { quitadas: going.size, avisos: noticesOf(found, unreadable.length, foreignCount) }
}

/** Removes backups, and remains of abandoned ones. */
async function removeBackups({ storage }: BackupStore, going: ReadonlySet<string>, now: Date): Promise<void> {
  const paths = new Map<string, string[]>()
  for await (const path of storage.list(BACKUPS, '')) {
    const [id] = path.split('/') as [string]
    if (ID.test(id)) paths.set(id, [...(paths.get(id) ?? []), path])
  }
  for (const [id, own] of paths) {
    const catalogPath = `${id}/${CATALOG_FILE}`
    if (!going.has(id)) {
      if (own.includes(catalogPath)) continue
      const ages = await Promise.all(own.map((path) => storage.modifiedAt(BACKUPS, path)))
      if (!ages.every((at) => at !== undefined && now.getTime() - at.getTime() > ABANDONED_MS)) continue
    }
    // The catalog entry goes first: without it, half a backup is invalid.
    for (const path of [catalogPath, ...own.filter((one) => one !== catalogPath)]) await storage.remove(BACKUPS, path)
  }
}

function noticesOf(found: Awaited<ReturnType<typeof listBackups>>, unreadable: number, foreignCount: number): string[] {
  const said: string[] = []
  const say = (count: number, words: string) => count > 0 && said.push(`${count} ${words}`)
  say(
    found.unencrypted.length,
    'copias de ahí no están cifradas y no se tocaron: si no son tuyas, alguien más escribe ahí; si lo son, bórralas a mano.',
  )
  say(
    unreadable,
    'copias de ahí no se pueden leer y no se tocaron; mientras estén, no se borra nada que puedan necesitar.',
  )
  say(
    found.invalidPaths.length,
    'archivos caratula.json de ahí no lo son y no se tocaron: bórralos a mano, con su carpeta.',
  )
  say(
    found.futureDated.length,
    'copias de ahí tienen fecha futura (se hicieron con el reloj adelantado) y no cuentan hasta que llegue.',
  )
  say(
    foreignCount,
    'copias de ahí son de otro sitio, o de otra dirección de éste, y no se tocaron: cada sitio debe tener su propio lugar.',
  )
  return said
}
