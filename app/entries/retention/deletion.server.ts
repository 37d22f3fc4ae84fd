import type pg from 'pg'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { checkClock, mayDeleteExpired } from '#app/core/db/clock-guard.server.ts'
import { backUpErasures, logErasure } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { outboxFolderOf, removeMail } from '#app/core/mail-transport/outbox-folder.server.ts'
import { inGroups, randomCode, UNAMBIGUOUS_CHARACTERS } from '#app/core/text/random-codes.ts'
import { readFormRow } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { deleteEntryMails } from '#app/mail/mutations.server.ts'
import { announceDeletions, DELETION_BATCH_SIZE, listDueEntries } from './schedule.server.ts'
import { entryFingerprint } from './stored-objects.server.ts'

/** Actor of deletions by time in the audit log. */
const SITE_ACTOR: Actor = { quien: null, desde: 'sitio' }

type DeletionServices = Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>

export type DeletionResult =
  /** If `isPending` is true, a step failed, and the sweep finishes the deletion later. */
  | { ok: true; acknowledgementCode: string; documentCount: number; isPending: boolean }
  | { ok: false; reason: 'unknown' }

/**
 * Deletes an entry and everything that belongs to it: its current and replaced documents, its metadata, its rows and its mail.
 * Lines of the audit log, which have no name, stay, and after a request a hash in the erasure log. Backups are not changed. The
 * deletion is recorded before the first object is removed, so that the sweep can finish an interrupted deletion.
 */
export async function deleteEntry(
  services: DeletionServices,
  id: number,
  reason: 'solicitud' | 'plazo',
  actor: Actor,
): Promise<DeletionResult> {
  const { db, log } = services
  const deletion = await db.transaction().execute(async (tx) => {
    const entry = await tx
      .selectFrom('inscripciones')
      .select(['id', 'folio', 'created_at', 'tipo'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!entry) return undefined
    const descriptor = FORMS[entry.tipo]
    const { folder } = await readFormRow(tx, descriptor, id)
    // Concurrent requests share one deletion and one acknowledgement code.
    await tx
      .insertInto('borrados')
      .values({
        inscripcion_id: id,
        acuse: newAcknowledgementCode(),
        bucket: descriptor.bucket,
        carpeta: folder,
        motivo: reason,
        quien: actor.quien,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // A requested deletion enters the erasure log before anything is deleted, even if a deletion by time was already under way:
    // otherwise a restore in between would bring the entry back.
    if (reason === 'solicitud') {
      await tx
        .updateTable('borrados')
        .set({ motivo: reason, quien: actor.quien })
        .where('inscripcion_id', '=', id)
        .where('motivo', '=', 'plazo')
        .execute()
      const { clave } = await tx.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()
      await logErasure(tx, entryFingerprint(clave, entry))
    }
    const { acuse } = await tx
      .selectFrom('borrados')
      .select('acuse')
      .where('inscripcion_id', '=', id)
      .executeTakeFirstOrThrow()
    const { documentCount } = await tx
      .selectFrom('documentos')
      .select((eb) => eb.fn.countAll<number>().as('documentCount'))
      .where('inscripcion_id', '=', id)
      .executeTakeFirstOrThrow()
    return { acknowledgementCode: acuse, documentCount }
  })
  if (!deletion) return { ok: false, reason: 'unknown' }
  try {
    await finishDeletion(services, id, actor.desde)
    return { ok: true, ...deletion, isPending: false }
  } catch (error) {
    log.error({ err: error, inscripcion: id }, 'a deletion is left for later')
    return { ok: true, ...deletion, isPending: true }
  }
}

/** Carries a recorded deletion to its end; repeating it is harmless. @param trace of the actor, for the audit log */
async function finishDeletion({ db, storage, settings }: DeletionServices, id: number, trace: string): Promise<void> {
  const deletionRow = await db.selectFrom('borrados').selectAll().where('inscripcion_id', '=', id).executeTakeFirst()
  if (!deletionRow) return
  const { bucket, carpeta, motivo } = deletionRow
  const removeObjects = async () => {
    const paths: string[] = []
    for await (const path of storage.list(bucket, `${carpeta}/`)) paths.push(path)
    // Paths of documents are removed even if no object is listed there, since the storage may still hold an object's metadata.
    const documentRows = await db.selectFrom('documentos').select('path').where('inscripcion_id', '=', id).execute()
    for (const path of new Set([...paths, ...documentRows.map((row) => row.path)])) await storage.remove(bucket, path)
  }
  // The erasure log beside the data survives a restore of an older database.
  if (motivo === 'solicitud') await backUpErasures(db, { ...settings, backupUrl: undefined })
  // Objects are removed before rows, so that no object exists without a row that refers to it.
  await removeObjects()
  await db.transaction().execute(async (tx) => {
    const entry = await tx.selectFrom('inscripciones').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
    if (!entry) return
    const mails = await deleteEntryMails(tx, id)
    // Documents, history and the rows of the journal of submissions are deleted with the entry (on delete cascade).
    await tx.deleteFrom('inscripciones').where('id', '=', id).execute()
    await removeMail(outboxFolderOf(settings.dataDir), mails)
  })
  // An object of a document that arrived meanwhile has no row any more.
  await removeObjects()
  // The deletion ends only when the erasure log beside the backups has it, too.
  if (motivo === 'solicitud') await backUpErasures(db, settings)
  await db.transaction().execute(async (tx) => {
    const deletedRow = await tx
      .deleteFrom('borrados')
      .where('inscripcion_id', '=', id)
      .returningAll()
      .executeTakeFirst()
    // Without a row, another process has ended the deletion and written the line. The reason is read anew, since the deletion of
    // an entry that was due by time may have been requested meanwhile.
    if (deletedRow)
      await writeAuditLog(
        tx,
        { quien: deletedRow.quien, desde: trace },
        { que: `borrado.${deletedRow.motivo}`, acuse: deletedRow.acuse, inscripcion: id },
      )
  })
}

/** Returns whether an entry is being deleted, as the client's open transaction sees it. */
export async function isBeingDeleted(client: pg.ClientBase, id: number): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from borrados where inscripcion_id = $1', [id])
  return rowCount !== 0
}

const newAcknowledgementCode = () => `B-${inGroups(randomCode(10, UNAMBIGUOUS_CHARACTERS), 5)}`

/** Finishes the recorded deletions. A deletion that fails again is logged and left for the next sweep. */
export async function recoverDeletions(services: DeletionServices): Promise<void> {
  // A process that ended too early may have written lines of the erasure log to the database only.
  await backUpErasures(services.db, services.settings).catch((error: unknown) =>
    services.log.error({ err: error }, 'the erasure log could not be copied to the backups'),
  )
  const openDeletions = await services.db.selectFrom('borrados').select('inscripcion_id').orderBy('at').execute()
  for (const { inscripcion_id: id } of openDeletions)
    await finishDeletion(services, id, SITE_ACTOR.desde).catch((error: unknown) =>
      services.log.error({ err: error, inscripcion: id }, 'a deletion could not be finished yet'),
    )
}

export interface SweepOptions {
  /** The machine's clock; tests set it. */
  machineNow?: Date
  /** Milliseconds since the start of the process, by a monotonic clock; tests set it. */
  uptimeMs?: number
  /** Called before each deletion; the sweep ends if it returns true. */
  isStopping?: () => boolean
}

/**
 * Deletes the entries that `listDueEntries` lists: retention ended, announced long enough ago, not on hold. The earlier of the
 * site's clock and the machine's clock counts, so that a site clock that was set ahead for a trial deletes nothing.
 * @returns the number of deleted entries, including those whose deletion an error left for later
 */
export async function deleteExpiredEntries(
  services: DeletionServices,
  { machineNow = new Date(), isStopping = () => false }: SweepOptions = {},
): Promise<number> {
  let deletedCount = 0
  for (;;) {
    const dueIds = await listDueEntries(services, machineNow)
    for (const id of dueIds) {
      if (isStopping()) return deletedCount
      if ((await deleteEntry(services, id, 'plazo', SITE_ACTOR)).ok) deletedCount++
    }
    if (dueIds.length < DELETION_BATCH_SIZE) return deletedCount
  }
}

/**
 * Announces deletions by time, and deletes entries whose announcement is old enough. While the machine's clock is ahead
 * (`ClockReading.isAhead`) it does neither; within the first hour after a start it only announces.
 * @returns the number of deleted entries
 */
export async function sweepExpiredEntries(services: DeletionServices, options: SweepOptions = {}): Promise<number> {
  const { machineNow = new Date(), uptimeMs = performance.now() } = options
  const clockReading = await checkClock(services.db, machineNow, uptimeMs)
  if (clockReading.isAhead) {
    services.log.warn(
      { visto: clockReading.storedAt, base: clockReading.databaseTime },
      'the clock of this machine runs ahead of the database: nothing is deleted by time',
    )
    return 0
  }
  await announceDeletions(services, machineNow)
  return mayDeleteExpired(clockReading, uptimeMs) ? deleteExpiredEntries(services, { ...options, machineNow }) : 0
}

/** Finishes interrupted deletions, and deletes due entries. @param stopSignal ends the second step between two entries */
export async function sweepDeletions(services: DeletionServices, stopSignal: AbortSignal): Promise<void> {
  await recoverDeletions(services)
  const deletedCount = await sweepExpiredEntries(services, { isStopping: () => stopSignal.aborted })
  if (deletedCount > 0) services.log.info({ deleted: deletedCount }, 'entries whose retention had ended were deleted')
}
