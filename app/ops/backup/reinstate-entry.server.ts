import type pg from 'pg'
import { openDatabase } from '#app/core/db/database.server.ts'
import {
  backUpErasures,
  type Erasure,
  erasuresInForce,
  logReturn,
  readErasureKey,
  readErasuresFromDatabase,
  writeErasuresBesideBackups,
} from '#app/core/db/erasure-log.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { isBeingDeleted } from '#app/entries/retention/deletion.server.ts'
import {
  hasFolio,
  insertBackedUpEntry,
  logReinstatement,
  readBackedUpEntry,
} from '#app/entries/retention/reinstate.server.ts'
import { withTemporaryDatabase } from './rehearsal.server.ts'
import { type OpenedBackup, restoreDatabase, restoreObjects } from './restore.server.ts'

interface Reinstatement {
  folio: string
  /** Lines of all erasure logs that were found. */
  erasures: readonly Erasure[]
  /** Whether to reinstate the entry although its erasure was requested. */
  mayUndoErasure: boolean
  /** Destination of the site's own backups, which also has an erasure log. */
  backupUrl: string | undefined
  migrationsFolder: string
  onProgress: ReportProgress
}

/**
 * Reinstates an entry from a backup, with its rows, its documents and a line in the audit log.
 * @throws StartError if the entry exists, is still being deleted or is not in the backup, if its erasure was requested and
 * `mayUndoErasure` is not set, or if its rows or documents cannot be restored
 */
export async function reinstateEntry(
  openedBackup: OpenedBackup,
  site: { pool: pg.Pool; storage: ObjectStorage; dataDir: string },
  { folio, erasures, mayUndoErasure, backupUrl, migrationsFolder, onProgress }: Reinstatement,
): Promise<{ documentCount: number }> {
  const db = openDatabase(site.pool)
  if (await hasFolio(db, folio))
    throw new StartError(`La inscripción ${folio} sigue en el sitio: no hay nada que devolver.`)
  const databaseOptions = { workFolder: site.dataDir, onProgress }
  const backedUpEntry = await withTemporaryDatabase(openedBackup, databaseOptions, async (pool) => {
    await restoreDatabase(pool, openedBackup, migrationsFolder, onProgress)
    const client = await pool.connect()
    try {
      return await readBackedUpEntry(client, folio, await readErasureKey(openDatabase(pool)))
    } finally {
      client.release()
    }
  })
  if (!backedUpEntry)
    throw new StartError(
      `En el respaldo ${openedBackup.catalogEntry.id} no hay ninguna inscripción con el folio ${folio}.`,
    )
  const erasure = erasuresInForce(erasures).find(({ huella }) => huella === backedUpEntry.fingerprint)
  if (erasure && !mayUndoErasure)
    throw new StartError(
      `La inscripción ${folio} se borró a solicitud de la persona (${erasure.at.slice(0, 10)}), así que no se devuelve. Si se borró por equivocación, o la persona pide volver, repite la orden con --aunque-pidio-irse.`,
    )
  const ownObjects = openedBackup.manifest.objetos.filter(
    ({ bucket, path }) =>
      bucket === backedUpEntry.bucket && backedUpEntry.folder !== '' && path.startsWith(`${backedUpEntry.folder}/`),
  )
  const client = await site.pool.connect()
  try {
    await client.query('begin')
    if (await isBeingDeleted(client, backedUpEntry.id))
      throw new StartError(
        `El borrado de la inscripción ${folio} todavía no termina: espera a que el sitio en marcha lo acabe, y repite la orden.`,
      )
    await insertBackedUpEntry(client, backedUpEntry)
    // The same transaction logs a return that is newer than the erasure, so that no process erases the entry again.
    if (backedUpEntry.fingerprint !== '') await logReturn(client, backedUpEntry.fingerprint, erasures)
    const entryCopy = {
      ...openedBackup,
      erasedFingerprints: new Set<string>(),
      manifest: { ...openedBackup.manifest, objetos: ownObjects },
    }
    const damagedPaths = await restoreObjects(entryCopy, site, onProgress)
    if (damagedPaths.length > 0)
      throw new StartError(`No se devolvió nada: al respaldo le faltan archivos suyos (${damagedPaths[0]}).`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    if (error instanceof StartError) throw error
    throw new StartError(`No se devolvió nada: ${(error as Error).message}`)
  } finally {
    client.release()
  }
  await logReinstatement(site.pool, backedUpEntry.id)
  // The database has the line of the return. If the site's own logs cannot be reached now, they get it at the next run of the
  // backup job.
  const reportDelay = (error: Error) =>
    onProgress(`El libro de borrados no se pudo poner al día en un respaldo (${error.message}): el sitio lo hará.`)
  await backUpErasures(db, { backupUrl, dataDir: site.dataDir }).catch(reportDelay)
  await writeErasuresBesideBackups(openedBackup.store.storage, await readErasuresFromDatabase(db)).catch(reportDelay)
  return { documentCount: ownObjects.length }
}
