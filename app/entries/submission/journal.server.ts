import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { ObjectExistsError } from '#app/core/storage/object-store.server.ts'
import { readFolioOf } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { metadataPath } from '#app/entries/document-viewing/file-rules.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import type { MailSender } from '#app/mail/schema.ts'
import { insertEntry, type NewDocument, replaceDocument } from './intake.server.ts'
import type { Desk, Plan } from './plan.server.ts'
import { RefusalError } from './refusal.server.ts'
import { MESSAGES } from './schema.ts'

/** §9 sets this time. */
const CACHE_CONTROL_SECONDS = 3600

/** A StoredSubmission was stored before, and is not stored again. */
export interface StoredSubmission {
  fingerprint: string
  /** The id is undefined when the entry does not exist any more. */
  entryId: number | undefined
  folio: string | undefined
}

/**
 * Carries out a plan, and undoes it on failure. The caller holds the lease of the submission.
 * @throws the failure; nothing is stored then, unless undoing failed too and the journal still has the plan
 */
export async function carryOut(key: string, plan: Plan, desk: Desk): Promise<void> {
  const { services, staging } = desk
  try {
    await store(key, plan, desk)
  } catch (error) {
    // If undoing fails, too, the journal keeps the plan for the next attempt or the sweep. `false` says that the plan was stored
    // after all.
    const isUndone = await undo(key, plan, services).catch(() => true)
    if (isUndone) throw error
  }
  await staging.removeAll(key).catch((error) => {
    services.log.warn({ err: error }, 'staged files of a stored registration are left to the sweep')
  })
}

/** Stores objects, metadata and rows in this order, so that rows exist only when all is stored. A repetition is harmless. */
async function store(key: string, plan: Plan, { staging, services }: Desk): Promise<void> {
  const { db, storage } = services
  const { bucket } = FORMS[plan.tipo]
  const files = await Promise.allSettled(
    plan.documentos.map(({ subida, path, contentType, sha256, size }) => {
      const metadata = { contentType, cacheControlSeconds: CACHE_CONTROL_SECONDS, sha256 }
      const put = () =>
        staging.withFile(key, subida, async (file, sum) => {
          if (sum !== sha256) throw new Error('A received file is not what it was when it came')
          await storage.putFile(bucket, path, file, metadata)
        })
      return putOnce(put, bucket, path, { sha256, size }, storage)
    }),
  )
  // All files are waited for, since none may still be written when an undo begins.
  for (const file of files) if (file.status === 'rejected') throw file.reason

  const body = Buffer.from(plan.metadata)
  const metadataAt = metadataPath(plan.folder, plan.timestamp)
  const put = () =>
    storage.putBytes(bucket, metadataAt, body, {
      contentType: 'application/json',
      cacheControlSeconds: CACHE_CONTROL_SECONDS,
    })
  const sum = createHash('sha256').update(body).digest('hex')
  await putOnce(put, bucket, metadataAt, { sha256: sum, size: body.byteLength }, storage)

  await db.transaction().execute(async (tx) => {
    const entry = await insertPlannedRows(tx, plan, metadataAt, mailSenderOf(services))
    const journalRow = await tx
      .updateTable('entregas')
      .set({ estado: 'guardada', plan: null, inscripcion_id: entry })
      .where('key', '=', key)
      .where('estado', '=', 'guardando')
      .where(isOfAttempt(plan))
      .executeTakeFirstOrThrow()
    if (journalRow.numUpdatedRows !== 1n) throw new Error(`The journal of entry ${entry} is gone`)
  })
}

/** Inserts the rows of a plan, and returns the entry's id. @throws RefusalError when another change was first */
async function insertPlannedRows(tx: Database, plan: Plan, metadataAt: string, sender: MailSender): Promise<number> {
  const at = new Date(plan.timestamp)
  const documents = plan.documentos.map(
    ({ filename, size, subida: _, ...stored }): NewDocument => ({ ...stored, fileName: filename, bytes: size }),
  )
  const { tipo, folio, folder } = plan
  if (plan.que === 'alta') {
    const { id, edicion, datos } = plan
    const newOne = {
      type: tipo,
      edition: edicion,
      folio,
      id,
      folder,
      metadataPath: metadataAt,
      data: datos,
      documents,
      at,
    }
    return insertEntry(tx, newOne, sender)
  }
  const { inscripcion, solicitud, antes } = plan
  const replacement = {
    type: tipo,
    entryId: inscripcion,
    requestId: solicitud,
    replacedPaths: antes,
    metadataPath: metadataAt,
    documents,
    at,
  }
  if (!(await replaceDocument(tx, replacement))) throw new RefusalError('solicitudCerrada', MESSAGES.solicitudCerrada)
  return inscripcion
}

/**
 * Puts an object, unless the object is there. Its path is reserved for this submission, so an existing object with the same
 * checksum and size was put before a crash; the staged file may be gone since.
 */
async function putOnce(
  put: () => Promise<void>,
  bucket: string,
  path: string,
  expected: { sha256: string; size: number },
  storage: Services['storage'],
): Promise<void> {
  try {
    await put()
  } catch (error) {
    if (!(error instanceof ObjectExistsError) && errorCode(error) !== 'ENOENT') throw error
    const existing = await storage.head(bucket, path)
    if (existing?.sha256 !== expected.sha256 || existing.size !== expected.size) throw error
  }
}

/**
 * Removes the objects that `store` put. The staged files stay, so that the person can send them again.
 * @returns false when the submission turned out to be stored after all (the answer to the commit was lost)
 */
async function undo(key: string, plan: Plan, { db, storage }: Services): Promise<boolean> {
  const { bucket } = FORMS[plan.tipo]
  return db.transaction().execute(async (transaction) => {
    // The row lock waits for a commit that is still under way; the state read after that commit is certain.
    const journalRow = await transaction
      .selectFrom('entregas')
      .select(['estado', isOfAttempt(plan).as('isOurs')])
      .where('key', '=', key)
      .forUpdate()
      .executeTakeFirst()
    if (journalRow?.isOurs && journalRow.estado === 'guardada') return false
    const paths = [...plan.documentos.map(({ path }) => path), metadataPath(plan.folder, plan.timestamp)]
    for (const path of paths) await storage.remove(bucket, path)
    // The plan of another attempt is left alone.
    if (journalRow?.isOurs) await transaction.deleteFrom('entregas').where('key', '=', key).execute()
    return true
  })
}

/** Selects whether the journal's row belongs to this very attempt. */
const isOfAttempt = ({ intento }: Plan) => sql<boolean>`entregas.area is not distinct from ${intento}::uuid`

/**
 * Settles an interrupted attempt: completes it if every file is still whole, else undoes it. The caller must hold the lease of
 * the submission, so that no other process works on it.
 * @returns the submission that is stored under this key afterwards; undefined when there is none
 */
export async function settle(key: string, desk: Desk): Promise<StoredSubmission | undefined> {
  const { services } = desk
  const journalRow = await services.db
    .selectFrom('entregas')
    .select(['estado', 'huella', 'plan', 'area', 'inscripcion_id'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (journalRow === undefined) return undefined
  const { huella, inscripcion_id: entry } = journalRow
  if (journalRow.estado === 'guardada') {
    const folio = entry === null ? undefined : await readFolioOf(services.db, entry)
    return { fingerprint: huella, entryId: entry ?? undefined, folio }
  }
  const plan = { ...(journalRow.plan as Plan), intento: journalRow.area }
  if ((await areFilesWhole(key, plan, desk)) && (await tryStore(key, plan, desk))) {
    services.log.info({ entrada: plan.folder.split('_')[0] }, 'an interrupted registration was finished')
    return settle(key, desk)
  }
  if (!(await undo(key, plan, services))) return settle(key, desk)
  services.log.warn({ entrada: plan.folder.split('_')[0] }, 'an interrupted registration was undone')
  return undefined
}

/** Completes an interrupted attempt. @returns false when another change was first, and nothing is left to complete */
async function tryStore(key: string, plan: Plan, desk: Desk): Promise<boolean> {
  try {
    await store(key, plan, desk)
    return true
  } catch (error) {
    if (error instanceof RefusalError) return false
    throw error
  }
}

/** Says whether the journal has no row of a submission. */
export async function hasNoJournalRow(key: string, { db }: Services): Promise<boolean> {
  return !(await db.selectFrom('entregas').select('key').where('key', '=', key).executeTakeFirst())
}

async function areFilesWhole(key: string, plan: Plan, { staging, services }: Desk): Promise<boolean> {
  const { storage } = services
  const { bucket } = FORMS[plan.tipo]
  for (const { subida, path, sha256, size } of plan.documentos) {
    const stored = await storage.head(bucket, path)
    if (stored !== undefined) {
      if (stored.sha256 !== sha256 || stored.size !== size) return false
      continue
    }
    const sum = await staging
      .withFile(key, subida, async (_file, sum) => sum)
      .catch((error) => {
        if (errorCode(error) === 'ENOENT') return undefined
        throw error
      })
    if (sum !== sha256) return false
  }
  return true
}

/**
 * Settles every interrupted submission, whichever process began it; a submission that a process is storing is left to that
 * process. A submission that cannot be settled now (the storage does not answer, say) is left for the next sweep.
 * @returns the keys of submissions still unsettled, whose staged files must stay
 */
export async function recoverSubmissions(desk: Desk): Promise<ReadonlySet<string>> {
  const { services, staging } = desk
  const open = await services.db.selectFrom('entregas').select('key').where('estado', '=', 'guardando').execute()
  const unsettled = new Set<string>()
  for (const { key } of open) {
    const hadLease = await staging.ifFree(key, async () => {
      try {
        if ((await settle(key, desk)) !== undefined) await staging.removeAll(key)
      } catch (error) {
        unsettled.add(key)
        services.log.error({ err: error }, 'an interrupted registration could not be settled yet')
      }
    })
    // The lease is taken, so another process is storing the submission.
    if (!hadLease) unsettled.add(key)
  }
  return unsettled
}
