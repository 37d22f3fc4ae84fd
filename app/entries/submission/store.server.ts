// Longer than 350 lines: it holds all steps of storing a submission, which are read together.
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { ObjectExistsError } from '#app/core/storage/object-store.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  type DocumentKind,
  type EntryType,
  kindOf,
  VOTER_CARD_SIDES,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'
import { documentPath, folderName, metadataPath, objectUrl } from '#app/entries/document-viewing/file-rules.ts'
import { newFolio } from '#app/entries/folio.server.ts'
import type { CheckedValues } from '#app/entries/rules.ts'
import { summaryOf } from '#app/entries/shown-values.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { queueFolioMail } from './mails.server.ts'
import { RegistrationRefusalError } from './refusal.server.ts'
import { type ReplacementPlan, retireReplacedDocument } from './replacement-rows.server.ts'
import { REGISTRATION_MESSAGES } from './schema.ts'
import type { IntakeContext, StagedUpload } from './staging.server.ts'

/*
 * A registration, or a requested document, is stored completely or not at all (docs/decisions/0004). The journal `entregas` has
 * the state of a submission:
 *
 * 1. No row: files and values arrive (uploads.early.server.ts, receive.early.server.ts); a refusal leaves no row.
 * 2. `guardando`, with a plan (`recordPlan`): objects, metadata and rows are stored in this order (`carryOutPlan`). Each step can
 *    be repeated, so another process may go on with the plan (recovery.server.ts). A plan that fails is undone (`undoPlan`):
 *    objects and row are removed, and the staged files of a registration stay for the next attempt.
 * 3. `guardada`, without a plan: the rows are committed, and every repetition gets the same folio.
 */

/** All that storing a submission will do; the journal has the plan as JSON, with these keys, before anything is done. */
export type SubmissionPlan = {
  /**
   * Id of the attempt, since another process may take the attempt for dead and begin a new one; in a plan from before the
   * migration 20260314, the id of a process's folder, or null.
   */
  intento: string | null
  tipo: EntryType
  folio: string
  folder: string
  /** Moment of arrival by the site's clock, in milliseconds since 1970. */
  timestamp: number
  documentos: PlannedDocument[]
  /** Content of the metadata file, recorded because its URLs depend on a setting that may change. */
  metadata: string
} & (NewEntryPlan | ReplacementPlan)

/** Returns the id in the form's own table, with which the folder's name begins. */
export const formRowIdOf = ({ folder }: Pick<SubmissionPlan, 'folder'>): string => folder.split('_')[0]!

interface NewEntryPlan {
  que: 'alta'
  /** Id in the form's own table, reserved because the folder's name begins with it. */
  id: number
  /** Year of the edition. */
  edicion: number
  datos: CheckedValues
}

interface PlannedDocument {
  subida: string
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
  /** Name of the file on the entrant's device. */
  filename: string
  contentType: string
  size: number
  sha256: string
}

interface SubmissionKey {
  /** Key of the submission in the journal (`keyOfForm`). */
  key: string
  /** Hash of the typed values (`hashTypedValues`). */
  fingerprint: string
}

export type ReceivedDocuments = Partial<Record<DocumentKind, StagedUpload[]>>

/** Plans a new entry: reserves its id and writes the plan into the journal; nothing else is stored yet. */
export async function planNewEntry(
  submission: SubmissionKey,
  type: EntryType,
  values: CheckedValues,
  uploads: ReceivedDocuments,
  intake: IntakeContext,
): Promise<SubmissionPlan> {
  const { db, clock, settings } = intake.services
  const descriptor = FORMS[type]
  // The id of a failed attempt is never used again.
  const reservation = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${descriptor.table}, 'id')) as id`.execute(db)
  const { id } = reservation.rows[0]!
  const folder = folderName(id, summaryOf(descriptor, values).titular)
  const timestamp = clock.now().getTime()
  const documents = descriptor.kinds.flatMap((kind) =>
    (uploads[kind] ?? []).map((upload, index) => {
      const side = kindOf(kind).fileCount === 2 ? VOTER_CARD_SIDES[index]! : null
      return planDocument(upload, kind, side, folder, timestamp)
    }),
  )
  const metadata = metadataOf(type, { id, values }, documents, settings.publicUrl)
  const { anio: edition } = await loadEditionCard()
  return recordPlan(submission, intake, {
    que: 'alta',
    tipo: type,
    id,
    edicion: edition,
    datos: values,
    folio: newFolio(),
    folder,
    timestamp,
    documentos: documents,
    metadata,
  })
}

/** Plans a document. Its path is unique by the folder, whose name begins with an id, and by the timestamp. */
export function planDocument(
  upload: StagedUpload,
  kind: DocumentKind,
  side: VoterCardSide | null,
  folder: string,
  timestamp: number,
): PlannedDocument {
  const { id: uploadId, filename } = upload
  const { sha256, contentType } = upload.sealed!
  const path = documentPath({ folder, kind, side, timestamp, fileName: filename })
  return { subida: uploadId, clase: kind, lado: side, path, filename, contentType, size: upload.size!, sha256 }
}

/** Builds the content of an entry's metadata: id in the form's own table, values under the keys of §3, and documents' URLs. */
export function metadataOf(
  type: EntryType,
  { id, values }: { id: number; values: CheckedValues },
  documents: readonly { clase: DocumentKind; path: string }[],
  publicUrl: string,
): string {
  const { fields, kinds, bucket } = FORMS[type]
  const fieldEntries = fields
    .filter(({ isLeftOutOfMetadata }) => !isLeftOutOfMetadata)
    .map(({ name }) => [name, values[name] ?? null])
  const urls = kinds.map((kind) => [
    kind,
    documents.filter((document) => document.clase === kind).map(({ path }) => objectUrl(publicUrl, bucket, path)),
  ])
  return JSON.stringify({ id, ...Object.fromEntries(fieldEntries), documentos: Object.fromEntries(urls) }, null, 2)
}

/** Writes a plan into the journal, with the id of a new attempt. @throws if the journal has a row under this key */
export async function recordPlan<NewPlan extends Omit<SubmissionPlan, 'intento'>>(
  { key, fingerprint }: SubmissionKey,
  { services }: IntakeContext,
  newPlan: NewPlan,
): Promise<NewPlan & Pick<SubmissionPlan, 'intento'>> {
  const attemptId = randomUUID()
  const plan = { ...newPlan, intento: attemptId }
  const journalRow = { key, estado: 'guardando' as const, huella: fingerprint, tipo: plan.tipo, area: attemptId }
  await services.db
    .insertInto('entregas')
    .values({ ...journalRow, plan: JSON.stringify(plan) })
    .execute()
  return plan
}

/**
 * Carries out a plan and removes its staged files, or undoes it on failure. The caller must hold the lease of the submission.
 * @throws the failure; nothing is stored then, unless `undoPlan` failed, too, and the journal still has the plan
 */
export async function carryOutPlan(key: string, plan: SubmissionPlan, intake: IntakeContext): Promise<void> {
  const { services, staging } = intake
  try {
    await storePlan(key, plan, intake)
  } catch (error) {
    // If `undoPlan` fails, the journal keeps the plan for the next attempt or the sweep; if it returns false, the plan was stored.
    const hasFailed = await undoPlan(key, plan, services).catch(() => true)
    if (hasFailed) throw error
  }
  await staging.removeAll(key).catch((error) => {
    services.log.warn({ err: error }, 'staged files of a stored registration are left to the sweep')
  })
}

/** Lifetime of stored objects in caches (§9). */
const CACHE_CONTROL_SECONDS = 3600

/**
 * Stores objects, metadata and rows in this order, so that rows exist only once all is stored. A repetition is harmless.
 * @throws an error for which `isLostForGood` is true if the plan can never be carried out
 */
export async function storePlan(
  key: string,
  plan: SubmissionPlan,
  { staging, services }: IntakeContext,
): Promise<void> {
  const { db, storage } = services
  const { bucket } = FORMS[plan.tipo]
  const fileResults = await Promise.allSettled(
    plan.documentos.map(({ subida, path, contentType, sha256, size }) => {
      const metadata = { contentType, cacheControlSeconds: CACHE_CONTROL_SECONDS, sha256 }
      const putObject = () =>
        staging.withWholeFile(key, subida, async (file, checksum) => {
          if (checksum !== sha256) throw new ChangedFileError('A received file has changed since it arrived')
          await storage.putFile(bucket, path, file, metadata)
        })
      return putOnce(putObject, bucket, path, { sha256, size }, storage)
    }),
  )
  // The loop begins after all files have settled, since none may still be written when `undoPlan` begins.
  for (const result of fileResults) if (result.status === 'rejected') throw result.reason

  const body = Buffer.from(plan.metadata)
  const metadataFilePath = metadataPath(plan.folder, plan.timestamp)
  const putObject = () =>
    storage.putBytes(bucket, metadataFilePath, body, {
      contentType: 'application/json',
      cacheControlSeconds: CACHE_CONTROL_SECONDS,
    })
  const checksum = createHash('sha256').update(body).digest('hex')
  await putOnce(putObject, bucket, metadataFilePath, { sha256: checksum, size: body.byteLength }, storage)

  await db.transaction().execute(async (tx) => {
    const entryId = await insertRows(tx, plan, metadataFilePath, services)
    const journalUpdate = await tx
      .updateTable('entregas')
      .set({ estado: 'guardada', plan: null, inscripcion_id: entryId })
      .where('key', '=', key)
      .where('estado', '=', 'guardando')
      .where(isOfAttempt(plan))
      .executeTakeFirstOrThrow()
    if (journalUpdate.numUpdatedRows !== 1n) throw new Error(`The journal of entry ${entryId} is gone`)
  })
}

/** This error has the code of a missing file, so that `isLostForGood` treats a changed file like a missing one. */
class ChangedFileError extends Error {
  override name = 'ChangedFileError'
  code = 'ENOENT'
}

/** Returns whether `storePlan` would fail again: entry or request have changed, or a file is lost, changed or in the way. */
export const isLostForGood = (error: unknown): boolean =>
  error instanceof RegistrationRefusalError || error instanceof ObjectExistsError || errorCode(error) === 'ENOENT'

/**
 * Puts an object, unless the same one exists. The path is reserved for the submission, so an existing object with the same
 * checksum and size was put before a crash; the staged file may be gone since.
 */
async function putOnce(
  putObject: () => Promise<void>,
  bucket: string,
  path: string,
  expectedObject: { sha256: string; size: number },
  storage: Services['storage'],
): Promise<void> {
  try {
    await putObject()
  } catch (error) {
    if (!isLostForGood(error)) throw error
    const existingObject = await storage.head(bucket, path)
    if (existingObject?.sha256 !== expectedObject.sha256 || existingObject.size !== expectedObject.size) throw error
  }
}

/** Inserts a plan's rows, and returns the entry's id. @throws RegistrationRefusalError if entry or request have changed */
async function insertRows(
  tx: Database,
  plan: SubmissionPlan,
  metadataFilePath: string,
  services: Services,
): Promise<number> {
  const receivedAt = new Date(plan.timestamp)
  const entryId =
    plan.que === 'alta'
      ? await insertEntry(tx, plan, metadataFilePath, receivedAt, services)
      : (await retireReplacedDocument(tx, plan, metadataFilePath, receivedAt)) && plan.inscripcion
  if (entryId === false) throw new RegistrationRefusalError('solicitudCerrada', REGISTRATION_MESSAGES.solicitudCerrada)
  await tx
    .insertInto('documentos')
    .values(
      plan.documentos.map(({ clase, lado, path, filename, contentType, size, sha256 }) => ({
        inscripcion_id: entryId,
        clase,
        lado,
        path,
        sha256,
        recibido_at: receivedAt,
        nombre_archivo: filename,
        content_type: contentType,
        size_bytes: size,
      })),
    )
    .execute()
  return entryId
}

/** Inserts an entry without its documents; if an email was given, queues the folio within the limits of `queueFolioMail`. */
async function insertEntry(
  tx: Database,
  { tipo, edicion, folio, id: rowId, folder, datos }: SubmissionPlan & NewEntryPlan,
  metadataFilePath: string,
  receivedAt: Date,
  services: Services,
): Promise<number> {
  const descriptor = FORMS[tipo]
  const summary = summaryOf(descriptor, datos)
  const { id } = await tx
    .insertInto('inscripciones')
    .values({ tipo, edicion, folio, ...summary, created_at: receivedAt })
    .returning('id')
    .executeTakeFirstOrThrow()
  const formRow = {
    id: rowId,
    inscripcion_id: id,
    carpeta: folder,
    metadata_path: metadataFilePath,
    created_at: receivedAt,
    ...datos,
  }
  // The columns of the form's fields are known at run time only.
  await tx
    .insertInto(descriptor.table)
    .values(formRow as never)
    .execute()
  if (summary.correo !== null) await queueFolioMail(tx, tipo, folio, id, summary.correo, mailSenderOf(services))
  return id
}

/** Selects whether the journal's row belongs to the plan's own attempt. */
const isOfAttempt = ({ intento }: SubmissionPlan) => sql<boolean>`entregas.area is not distinct from ${intento}::uuid`

/**
 * Removes the objects that `storePlan` put, and the plan's row of the journal. The staged files stay, so that the entrant can
 * send the form again.
 * @returns false if the submission was stored after all, because the answer to the commit was lost
 */
export async function undoPlan(key: string, plan: SubmissionPlan, { db, storage }: Services): Promise<boolean> {
  const { bucket } = FORMS[plan.tipo]
  return db.transaction().execute(async (tx) => {
    // The row lock waits for a commit that is still under way, so the state is certain.
    const journalRow = await tx
      .selectFrom('entregas')
      .select(['estado', isOfAttempt(plan).as('isOwnAttempt')])
      .where('key', '=', key)
      .forUpdate()
      .executeTakeFirst()
    if (journalRow?.isOwnAttempt && journalRow.estado === 'guardada') return false
    const paths = [...plan.documentos.map(({ path }) => path), metadataPath(plan.folder, plan.timestamp)]
    for (const path of paths) await storage.remove(bucket, path)
    // The row of another attempt stays.
    if (journalRow?.isOwnAttempt) await tx.deleteFrom('entregas').where('key', '=', key).execute()
    return true
  })
}
