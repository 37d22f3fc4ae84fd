import type pg from 'pg'
import { type Actor, writeAuditLog } from '#app/audit/mutations.server.ts'
import { checkClock, mayDeleteByTime } from '#app/core/db/clock-guard.server.ts'
import { backUpErasures, logErasure } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { forgetMail, outboxOf } from '#app/core/mail-transport/outbox-folder.server.ts'
import { inGroups, makeCode, UNAMBIGUOUS_CHARACTERS } from '#app/core/text/random-codes.ts'
import { readFila } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { forgetEntryMails } from '#app/mail/mutations.server.ts'
import { announceDeletions, BATCH, listDueEntries } from './schedule.server.ts'
import { entryFingerprint } from './stored-objects.server.ts'

const SWEEP_MS = 15 * 60_000

/** The site itself, when an entry's time has come. */
const SITE: Actor = { quien: null, desde: 'sitio' }

type Work = Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>

export type DeletionResult =
  /** The receipt's number; with `pendiente`, what is left of it is finished by itself. */
  { ok: true; acuse: string; documentos: number; pendiente: boolean } | { ok: false; reason: 'desconocida' }

/**
 * Deletes an entry and everything that belongs to it: objects of its documents (also of those that were replaced) and its
 * metadata, its rows, its mail. What stays is one line of the log, without a name. Written down before the first object
 * goes: what fails halfway is finished later.
 */
export async function deleteEntry(
  services: Work,
  id: number,
  reason: 'solicitud' | 'plazo',
  actor: Actor,
): Promise<DeletionResult> {
  const { db, log } = services
  const begun = await db.transaction().execute(async (tx) => {
    const entry = await tx
      .selectFrom('inscripciones')
      .select(['id', 'folio', 'created_at', 'tipo'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!entry) return undefined
    const forma = FORMS[entry.tipo]
    const { carpeta } = await readFila(tx, forma, id)
    // Two who ask at once get one deletion, and one receipt.
    await tx
      .insertInto('borrados')
      .values({
        inscripcion_id: id,
        acuse: newAcknowledgement(),
        bucket: forma.bucket,
        carpeta,
        motivo: reason,
        quien: actor.quien,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // Whoever asks to be gone is in the ledger before anything goes, also where her time had come and her deletion waits:
    // a restore in between would bring the entry back.
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
    const { documentos } = await tx
      .selectFrom('documentos')
      .select((eb) => eb.fn.countAll<number>().as('documentos'))
      .where('inscripcion_id', '=', id)
      .executeTakeFirstOrThrow()
    return { acuse, documentos }
  })
  if (!begun) return { ok: false, reason: 'desconocida' }
  try {
    await finish(services, id, actor.desde)
    return { ok: true, ...begun, pendiente: false }
  } catch (error) {
    log.error({ err: error, inscripcion: id }, 'a deletion is left for later')
    return { ok: true, ...begun, pendiente: true }
  }
}

/** Takes a deletion that is written down to its end; again from the beginning if need be. */
async function finish({ db, storage, settings }: Work, id: number, from: string): Promise<void> {
  const journal = await db.selectFrom('borrados').selectAll().where('inscripcion_id', '=', id).executeTakeFirst()
  if (!journal) return
  const { bucket, carpeta, motivo } = journal
  const removeObjects = async () => {
    const paths: string[] = []
    for await (const path of storage.list(bucket, `${carpeta}/`)) paths.push(path)
    // Also what is known of an object that is not there any more.
    const named = await db.selectFrom('documentos').select('path').where('inscripcion_id', '=', id).execute()
    for (const path of new Set([...paths, ...named.map((one) => one.path)])) await storage.remove(bucket, path)
  }
  // A restore of an older database in between finds her in the ledger beside the data.
  if (motivo === 'solicitud') await backUpErasures(db, { ...settings, backupUrl: undefined })
  // The objects first: while there is one, the rows that name it are there.
  await removeObjects()
  await db.transaction().execute(async (tx) => {
    const entry = await tx.selectFrom('inscripciones').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
    if (!entry) return
    const mails = await forgetEntryMails(tx, id)
    // With it go its rows, its history, and the prints of what was typed in the journal of submissions.
    await tx.deleteFrom('inscripciones').where('id', '=', id).execute()
    await forgetMail(outboxOf(settings.dataDir), mails)
  })
  // A document that was on its way meanwhile has no row to belong to any more.
  await removeObjects()
  // Until the ledger beside the backups says it, too, the deletion is not at its end.
  if (motivo === 'solicitud') await backUpErasures(db, settings)
  await db.transaction().execute(async (tx) => {
    const done = await tx.deleteFrom('borrados').where('inscripcion_id', '=', id).returningAll().executeTakeFirst()
    // Another process may have got there first; and she may have asked meanwhile for what was going by time.
    if (done)
      await writeAuditLog(
        tx,
        { quien: done.quien, desde: from },
        { que: `borrado.${done.motivo}`, acuse: done.acuse, inscripcion: id },
      )
  })
}

/** Whether a deletion of an entry has begun and not come to its end, as the transaction that is open sees it. */
export async function isBeingDeleted(client: pg.ClientBase, id: number): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from borrados where inscripcion_id = $1', [id])
  return rowCount !== 0
}

/** To be read out and written down. */
const newAcknowledgement = () => `B-${inGroups(makeCode(10, UNAMBIGUOUS_CHARACTERS), 5)}`

/** Finishes the deletions that were interrupted; those that fail again are left for the next time. */
export async function recoverDeletions(services: Work): Promise<void> {
  // Lines of whoever else wrote one, and ended before it was anywhere but in the database.
  await backUpErasures(services.db, services.settings).catch((error: unknown) =>
    services.log.error({ err: error }, 'the ledger of deletions could not be taken to where backups are'),
  )
  const open = await services.db.selectFrom('borrados').select('inscripcion_id').orderBy('at').execute()
  for (const { inscripcion_id: id } of open)
    await finish(services, id, SITE.desde).catch((error: unknown) =>
      services.log.error({ err: error, inscripcion: id }, 'a deletion could not be finished yet'),
    )
}

/** What is deleted by time, and by which clocks. */
export interface SweepOptions {
  machineNow?: Date
  /** Since the process began, by a clock that nobody sets. */
  upMs?: number
  /** Asked before each: the site is about to end. */
  isStopping?: () => boolean
}

/**
 * Deletes the entries whose time has come, which were announced long enough ago and which nobody holds (`listDueEntries`).
 * A clock that a rehearsal has moved ahead deletes nothing: the machine's must agree.
 * @returns how many
 */
export async function deleteExpiredEntries(
  services: Work,
  { machineNow = new Date(), isStopping = () => false }: SweepOptions = {},
): Promise<number> {
  let deleted = 0
  for (;;) {
    const due = await listDueEntries(services, machineNow)
    for (const id of due) {
      if (isStopping()) return deleted
      if ((await deleteEntry(services, id, 'plazo', SITE)).ok) deleted++
    }
    if (due.length < BATCH) return deleted
  }
}

/**
 * One turn of what goes by time: announced first, deleted when that was long enough ago. By a clock that runs ahead of
 * what the database knows neither happens, and within the first hour after a start nothing is deleted.
 * @returns how many were deleted
 */
export async function sweepExpired(services: Work, options: SweepOptions = {}): Promise<number> {
  const { machineNow = new Date(), upMs = performance.now() } = options
  const clockReading = await checkClock(services.db, machineNow, upMs)
  if (clockReading.adelantado) {
    services.log.warn(
      { visto: clockReading.vistoAt, base: clockReading.base },
      'the clock of this machine runs ahead of the database: nothing is deleted by time',
    )
    return 0
  }
  await announceDeletions(services, machineNow)
  return mayDeleteByTime(clockReading, upMs) ? deleteExpiredEntries(services, { ...options, machineNow }) : 0
}

/** Finishes what was interrupted, and deletes what is due, now and then for as long as the site runs. @returns ends it */
export function startDeletions(services: Work): () => Promise<void> {
  let running = Promise.resolve()
  let stopping = false
  const sweep = () => {
    running = running
      .then(async () => {
        await recoverDeletions(services)
        const deleted = await sweepExpired(services, { isStopping: () => stopping })
        if (deleted > 0) services.log.info({ deleted }, 'entries whose time had come were deleted')
      })
      .catch((error: unknown) => services.log.error({ err: error }, 'the sweep of deletions failed'))
  }
  sweep()
  const timer = setInterval(sweep, SWEEP_MS).unref()
  return async () => {
    stopping = true
    clearInterval(timer)
    await running
  }
}
