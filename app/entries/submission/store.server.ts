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
import { RefusalError } from './refusal.server.ts'
import { type ReplacementPlan, retireReplacedDocument } from './replacement-rows.server.ts'
import { MESSAGES } from './schema.ts'
import type { IntakeContext, StagedUpload } from './staging.server.ts'

/*
 * A registration, or a requested document, is stored here whole or not at all (0004). The state of a submission is its row in
 * `entregas`, from top to bottom of this file:
 *
 * 1. No row: files and values arrive (uploads.early.server.ts, receive.early.server.ts), and a refusal asks for them again.
 * 2. `guardando`, with a plan (`recordPlan`): objects, metadata and rows are stored in this order (`carryOut`). Each step can
 *    be repeated, so another process may go on with the plan (recovery.server.ts).
 * 3. `guardada`, without a plan: the rows are committed, and every repetition gets the same folio. Or, after a failure, no row
 *    again (`undo`): the objects are removed, and the staged files stay for the next try.
 */

/** A Plan says everything that storing one submission will do; the journal has it as JSON before any of it is done. */
export type Plan = {
  /**
   * The attempt has this id, since another process may take the attempt for dead and begin a new one. It is null in a plan
   * from before 20260314.
   */
  intento: string | null
  tipo: EntryType
  folio: string
  folder: string
  /** The moment is in milliseconds since 1970, by the site's clock. */
  timestamp: number
  documentos: PlannedDocument[]
  /** The body of metadata_{timestamp}.json, recorded since its URLs depend on a setting that may change. */
  metadata: string
} & (NewEntryPlan | ReplacementPlan)

/** Returns the entry's id in the form's own table, with which its folder's name begins. */
export const entryIdOf = ({ folder }: Pick<Plan, 'folder'>): string => folder.split('_')[0]!

interface NewEntryPlan {
  que: 'alta'
  /** This id in the form's own table is reserved, since the folder's name begins with it. */
  id: number
  /** The entry is for the edition of this year. */
  edicion: number
  datos: CheckedValues
}

interface PlannedDocument {
  subida: string
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
  /** The file has this name on the entrant's device. */
  filename: string
  contentType: string
  size: number
  sha256: string
}

interface SubmissionKey {
  /** The journal has the submission under this key, which `keyOf` makes of its secret id. */
  key: string
  /** `hashTypedValues` computes this hash of the typed values. */
  fingerprint: string
}

export type ReceivedDocuments = Partial<Record<DocumentKind, StagedUpload[]>>

/** Reserves the id and every path of a new entry and writes the plan into the journal; nothing is stored yet. */
export async function planNewEntry(
  submission: SubmissionKey,
  type: EntryType,
  data: CheckedValues,
  uploads: ReceivedDocuments,
  intake: IntakeContext,
): Promise<Plan> {
  const { db, clock, settings } = intake.services
  const descriptor = FORMS[type]
  // An id of a failed try is never used again.
  const reservation = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${descriptor.table}, 'id')) as id`.execute(db)
  const { id } = reservation.rows[0]!
  const folder = folderName(id, summaryOf(descriptor, data).titular)
  const timestamp = clock.now().getTime()
  const documents = descriptor.kinds.flatMap((kind) =>
    (uploads[kind] ?? []).map((upload, index) => {
      const side = kindOf(kind).fileCount === 2 ? VOTER_CARD_SIDES[index]! : null
      return planDocument(upload, kind, side, folder, timestamp)
    }),
  )
  const metadata = metadataOf(type, { id, data }, documents, settings.publicUrl)
  const { anio: edition } = await loadEditionCard()
  return recordPlan(submission, intake, {
    que: 'alta',
    tipo: type,
    id,
    edicion: edition,
    datos: data,
    folio: newFolio(),
    folder,
    timestamp,
    documentos: documents,
    metadata,
  })
}

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

/** Writes the body of an entry's metadata: its values under the keys of §3, and the address of each document by kind. */
export function metadataOf(
  type: EntryType,
  { id, data }: { id: number; data: CheckedValues },
  documents: readonly { clase: DocumentKind; path: string }[],
  publicUrl: string,
): string {
  const { fields, kinds, bucket } = FORMS[type]
  const values = fields
    .filter(({ isOutsideMetadata }) => !isOutsideMetadata)
    .map(({ name }) => [name, data[name] ?? null])
  const urls = kinds.map((kind) => [
    kind,
    documents.filter((document) => document.clase === kind).map(({ path }) => objectUrl(publicUrl, bucket, path)),
  ])
  return JSON.stringify({ id, ...Object.fromEntries(values), documentos: Object.fromEntries(urls) }, null, 2)
}

/** Gives a plan the id of a new attempt, and writes it into the journal; fails if the journal has a row under this key. */
export async function recordPlan<P extends Omit<Plan, 'intento'>>(
  { key, fingerprint }: SubmissionKey,
  { services }: IntakeContext,
  planned: P,
): Promise<P & Pick<Plan, 'intento'>> {
  const attempt = randomUUID()
  const plan = { ...planned, intento: attempt }
  const row = { key, estado: 'guardando' as const, huella: fingerprint, tipo: plan.tipo, area: attempt }
  await services.db
    .insertInto('entregas')
    .values({ ...row, plan: JSON.stringify(plan) })
    .execute()
  return plan
}

/**
 * Carries out a plan, and undoes it on failure. The caller holds the lease of the submission.
 * @throws the failure; nothing is stored then, unless undoing failed too and the journal still has the plan
 */
export async function carryOut(key: string, plan: Plan, intake: IntakeContext): Promise<void> {
  const { services, staging } = intake
  try {
    await store(key, plan, intake)
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

/** Stored objects are served with this lifetime in caches. @source §9 */
const CACHE_CONTROL_SECONDS = 3600

/**
 * Stores objects, metadata and rows in this order, so that rows exist only when all is stored. A repetition is harmless.
 * @throws an error of `isLostForGood` when the plan cannot be carried out any more
 */
export async function store(key: string, plan: Plan, { staging, services }: IntakeContext): Promise<void> {
  const { db, storage } = services
  const { bucket } = FORMS[plan.tipo]
  const files = await Promise.allSettled(
    plan.documentos.map(({ subida, path, contentType, sha256, size }) => {
      const metadata = { contentType, cacheControlSeconds: CACHE_CONTROL_SECONDS, sha256 }
      const putObject = () =>
        staging.withWholeFile(key, subida, async (file, checksum) => {
          if (checksum !== sha256) throw new ChangedFileError('A received file is not what it was when it came')
          await storage.putFile(bucket, path, file, metadata)
        })
      return putOnce(putObject, bucket, path, { sha256, size }, storage)
    }),
  )
  // All files are waited for, since none may still be written when an undo begins.
  for (const file of files) if (file.status === 'rejected') throw file.reason

  const body = Buffer.from(plan.metadata)
  const metadataAt = metadataPath(plan.folder, plan.timestamp)
  const putObject = () =>
    storage.putBytes(bucket, metadataAt, body, {
      contentType: 'application/json',
      cacheControlSeconds: CACHE_CONTROL_SECONDS,
    })
  const checksum = createHash('sha256').update(body).digest('hex')
  await putOnce(putObject, bucket, metadataAt, { sha256: checksum, size: body.byteLength }, storage)

  await db.transaction().execute(async (tx) => {
    const entryId = await insertRows(tx, plan, metadataAt, services)
    const journal = await tx
      .updateTable('entregas')
      .set({ estado: 'guardada', plan: null, inscripcion_id: entryId })
      .where('key', '=', key)
      .where('estado', '=', 'guardando')
      .where(isOfAttempt(plan))
      .executeTakeFirstOrThrow()
    if (journal.numUpdatedRows !== 1n) throw new Error(`The journal of entry ${entryId} is gone`)
  })
}

class ChangedFileError extends Error {
  override name = 'ChangedFileError'
  code = 'ENOENT'
}

/** Returns whether another try of `store` would fail as well: another change was first, or bytes of a file are lost. */
export const isLostForGood = (error: unknown): boolean =>
  error instanceof RefusalError || error instanceof ObjectExistsError || errorCode(error) === 'ENOENT'

/**
 * Puts an object, unless the object is there. Its path is reserved for this submission, so an existing object with the same
 * checksum and size was put before a crash; the staged file may be gone since.
 */
async function putOnce(
  putObject: () => Promise<void>,
  bucket: string,
  path: string,
  expected: { sha256: string; size: number },
  storage: Services['storage'],
): Promise<void> {
  try {
    await putObject()
  } catch (error) {
    if (!isLostForGood(error)) throw error
    const existing = await storage.head(bucket, path)
    if (existing?.sha256 !== expected.sha256 || existing.size !== expected.size) throw error
  }
}

/** Inserts the rows of a plan, and returns the entry's id. @throws RefusalError when another change was first */
async function insertRows(tx: Database, plan: Plan, metadataAt: string, services: Services): Promise<number> {
  const at = new Date(plan.timestamp)
  const entryId =
    plan.que === 'alta'
      ? await insertEntry(tx, plan, metadataAt, at, services)
      : (await retireReplacedDocument(tx, plan, metadataAt, at)) && plan.inscripcion
  if (entryId === false) throw new RefusalError('solicitudCerrada', MESSAGES.solicitudCerrada)
  await tx
    .insertInto('documentos')
    .values(
      plan.documentos.map(({ clase, lado, path, filename, contentType, size, sha256 }) => ({
        inscripcion_id: entryId,
        clase,
        lado,
        path,
        sha256,
        recibido_at: at,
        nombre_archivo: filename,
        content_type: contentType,
        size_bytes: size,
      })),
    )
    .execute()
  return entryId
}

/** Inserts an entry without its documents, and queues mail with the folio if an email was given. */
async function insertEntry(
  tx: Database,
  { tipo, edicion, folio, id: rowId, folder, datos }: Plan & NewEntryPlan,
  metadataAt: string,
  at: Date,
  services: Services,
): Promise<number> {
  const descriptor = FORMS[tipo]
  const summary = summaryOf(descriptor, datos)
  const { id } = await tx
    .insertInto('inscripciones')
    .values({ tipo, edicion, folio, ...summary, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = { id: rowId, inscripcion_id: id, carpeta: folder, metadata_path: metadataAt, created_at: at, ...datos }
  // The form's field descriptors name further columns, which the table types do not include.
  await tx
    .insertInto(descriptor.table)
    .values(row as never)
    .execute()
  if (summary.correo !== null) await queueFolioMail(tx, tipo, folio, id, summary.correo, mailSenderOf(services))
  return id
}

/** Selects whether the journal's row belongs to this very attempt. */
const isOfAttempt = ({ intento }: Plan) => sql<boolean>`entregas.area is not distinct from ${intento}::uuid`

/**
 * Removes the objects that `store` put. The staged files stay, so that the person can send them again.
 * @returns false when the submission turned out to be stored after all (the answer to the commit was lost)
 */
export async function undo(key: string, plan: Plan, { db, storage }: Services): Promise<boolean> {
  const { bucket } = FORMS[plan.tipo]
  return db.transaction().execute(async (transaction) => {
    // The row lock waits for a commit that is still under way; the state read after that commit is certain.
    const journal = await transaction
      .selectFrom('entregas')
      .select(['estado', isOfAttempt(plan).as('isOwnAttempt')])
      .where('key', '=', key)
      .forUpdate()
      .executeTakeFirst()
    if (journal?.isOwnAttempt && journal.estado === 'guardada') return false
    const paths = [...plan.documentos.map(({ path }) => path), metadataPath(plan.folder, plan.timestamp)]
    for (const path of paths) await storage.remove(bucket, path)
    // The plan of another attempt is left alone.
    if (journal?.isOwnAttempt) await transaction.deleteFrom('entregas').where('key', '=', key).execute()
    return true
  })
}
