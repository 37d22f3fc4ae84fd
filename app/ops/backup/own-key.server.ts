import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { inGroups } from '#app/core/text/random-codes.ts'

/** Number of the key's hexadecimal digits: 160 bits. */
const KEY_DIGITS = 40

/**
 * Returns the key, such as `0f3c9-…`, with which a site without BACKUP_KEY encrypts its backups. It is derived from the session
 * secret, so that all processes and a restored site have the same key.
 */
export function ownBackupKey(keyed: Services['keyed']): string {
  return inGroups(keyed('clave de copias').export().toString('hex').slice(0, KEY_DIGITS), 5)
}

/**
 * Returns the passphrase of the site's backups; undefined if they are not encrypted, or if they are encrypted with the site's own
 * key and `keyed` is undefined.
 */
export async function backupPassphrase(
  db: Database,
  settings: Pick<Settings, 'backupKey'>,
  keyed: Services['keyed'] | undefined,
): Promise<string | undefined> {
  return settings.backupKey ?? (keyed && (await readOwnKey(db, settings)).isUsed ? ownBackupKey(keyed) : undefined)
}

interface OwnKeyStatus {
  /**
   * Whether backups are encrypted with the own key. False with BACKUP_KEY, and for a site that had backups before it had the key.
   */
  isUsed: boolean
  /** Whether an organiser has confirmed to have the key on paper. */
  isNoted: boolean
}

export async function readOwnKey(db: Database, { backupKey }: Pick<Settings, 'backupKey'>): Promise<OwnKeyStatus> {
  const row = await db.selectFrom('clave_de_copias').select(['propia', 'anotada_at']).executeTakeFirst()
  return { isUsed: backupKey === undefined && row?.propia === true, isNoted: row?.anotada_at != null }
}

/**
 * Returns whether the site's own key is used and a backup was completed, but no organiser has confirmed to have the key on paper.
 */
export async function isKeyUnsaved(db: Database, settings: Pick<Settings, 'backupKey'>): Promise<boolean> {
  const { isUsed, isNoted } = await readOwnKey(db, settings)
  if (!isUsed || isNoted) return false
  const completedBackup = await db
    .selectFrom('copias')
    .select('id')
    .where('hecha_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return completedBackup !== undefined
}

export async function saveKeyNoted(db: Database, actor: Actor): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('clave_de_copias').set({ anotada_at: new Date() }).execute()
    await writeAuditLog(tx, actor, { que: 'respaldo.clave.anotada' })
  })
}

export const KEY_UNSAVED_NOTICE =
  'Nadie ha dicho que tiene guardada la clave de los respaldos: sin ella no se abren en otro servidor. Está en «Estado»: imprímela o escríbela.'
