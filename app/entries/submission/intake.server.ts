import { sql } from 'kysely'
import type { Actor } from '#app/audit/mutations.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { mailboxOf } from '#app/core/text/canonical-mailbox.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { DocumentKind, EntryType, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import type { Data } from '#app/entries/rules.ts'
import { summaryOf } from '#app/entries/shown-values.ts'
import { applyTransition } from '#app/entries/states/transition.server.ts'
import { queueMail } from '#app/mail/mutations.server.ts'
import type { MailSender } from '#app/mail/schema.ts'
import { entryReceivedLetter } from './mails.server.ts'

/** A NewDocument's object is stored already, and its row is not. */
export interface NewDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
  /** The file has this name on the entrant's device. */
  fileName: string
  contentType: string
  bytes: number
  sha256: string
}

/** A NewEntry's objects are stored already, and its rows are not. */
export interface NewEntry {
  type: EntryType
  /** The edition is named by its year. */
  edition: number
  folio: string
  /** This id in the form's own table was reserved beforehand, since the folder's name begins with it. */
  id: number
  folder: string
  metadataPath: string
  data: Data
  documents: readonly NewDocument[]
  /** The entry arrived at this moment of the site's clock. */
  at: Date
}

/** Reserves an id of the form's own table before there is a row; an id of a failed try is never used again. */
export async function reserveId(db: Database, type: EntryType): Promise<number> {
  const { table } = FORMS[type]
  const reservation = await sql<{ id: number }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`.execute(
    db,
  )
  return reservation.rows[0]!.id
}

/**
 * Inserts a registration with all its documents, within the caller's transaction. If an email was given, mail with the folio
 * is queued, unless the mailbox has had MAX_FOLIOS_PER_DAY.
 * @returns the entry's id in `inscripciones`
 */
export async function insertEntry(tx: Database, newEntry: NewEntry, sender: MailSender): Promise<number> {
  const { type, edition, folio, data, at } = newEntry
  const descriptor = FORMS[type]
  const summary = summaryOf(descriptor, data)
  const { id } = await tx
    .insertInto('inscripciones')
    .values({ tipo: type, edicion: edition, folio, ...summary, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = {
    ...{
      id: newEntry.id,
      inscripcion_id: id,
      carpeta: newEntry.folder,
      metadata_path: newEntry.metadataPath,
      created_at: at,
    },
    ...data,
  }
  // The form's field descriptors name further columns, which the table types do not include.
  await tx
    .insertInto(descriptor.table)
    .values(row as never)
    .execute()
  await insertDocuments(tx, id, newEntry.documents, at)
  const letter = entryReceivedLetter(type, folio)
  if (summary.correo !== null && (await mayGetFolioMail(tx, letter.kind, summary.correo)))
    await queueMail(tx, {
      ...letter,
      ...{ to: summary.correo, sender, entryId: id },
      idempotencyKey: `inscripcion:${folio}`,
    })
  return id
}

/** A mailbox gets at most so many folios a day, since a form may carry a stranger's address; the screen shows every folio. */
const MAX_FOLIOS_PER_DAY = 3

/** Says whether a mailbox, however its address is written, may get one more folio; the last 24 hours count. */
async function mayGetFolioMail(tx: Database, kind: string, email: string): Promise<boolean> {
  const { rows } = await sql<{ recipient: string }>`
    select lower(recipient) as recipient from correos
    where inscripcion_id is not null and kind = ${kind} and created_at > now() - interval '1 day'`.execute(tx)
  const mailbox = mailboxOf(email.toLowerCase())
  return rows.filter(({ recipient }) => mailboxOf(recipient) === mailbox).length < MAX_FOLIOS_PER_DAY
}

async function insertDocuments(
  tx: Database,
  entry: number,
  documents: readonly NewDocument[],
  at: Date,
): Promise<void> {
  await tx
    .insertInto('documentos')
    .values(
      documents.map(({ clase, lado, path, fileName, contentType, bytes, sha256 }) => ({
        ...{ inscripcion_id: entry, clase, lado, path, sha256, recibido_at: at },
        ...{ nombre_archivo: fileName, content_type: contentType, size_bytes: bytes },
      })),
    )
    .execute()
}

/** A DocumentReplacement answers a document request and replaces an earlier document. */
export interface DocumentReplacement {
  type: EntryType
  entryId: number
  requestId: number
  /** If one of these paths is not current any more, another change was first and nothing is stored. */
  replacedPaths: { documento: string; metadata: string }
  metadataPath: string
  documents: readonly NewDocument[]
  /** The document arrived at this moment of the site's clock. */
  at: Date
}

/** The audit log names this actor for an entrant, who needs no account to send a requested document. */
const ENTRANT: Actor = { quien: null, desde: 'folio' }

/**
 * Stores a requested document within the caller's transaction. The replaced document stays in the history; the answer to the
 * last open request returns the entry to «en revisión».
 * @returns false when another change was first, or the request was withdrawn: the caller rolls back
 */
export async function replaceDocument(tx: Database, replacement: DocumentReplacement): Promise<boolean> {
  const { type, entryId, requestId, replacedPaths, at } = replacement
  const entry = await tx
    .selectFrom('inscripciones')
    .select('estado')
    .where('id', '=', entryId)
    .forUpdate()
    .executeTakeFirst()
  if (entry === undefined) return false
  const requestUpdate = await tx
    .updateTable('solicitudes')
    .set({ cumplida_at: at })
    .where('id', '=', requestId)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .executeTakeFirstOrThrow()
  const documentUpdate = await tx
    .updateTable('documentos')
    .set({ reemplazado_at: at })
    .where('inscripcion_id', '=', entryId)
    .where('path', '=', replacedPaths.documento)
    .where('reemplazado_at', 'is', null)
    .executeTakeFirstOrThrow()
  const metadataUpdate = await tx
    .updateTable(FORMS[type].table)
    .set({ metadata_path: replacement.metadataPath })
    .where('inscripcion_id', '=', entryId)
    .where('metadata_path', '=', replacedPaths.metadata)
    .executeTakeFirstOrThrow()
  if ([requestUpdate, documentUpdate, metadataUpdate].some(({ numUpdatedRows }) => numUpdatedRows !== 1n)) return false
  await insertDocuments(tx, entryId, replacement.documents, at)
  const openRequest = await tx
    .selectFrom('solicitudes')
    .select('id')
    .where('inscripcion_id', '=', entryId)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const { estado } = entry
  const isWaiting = openRequest !== undefined || estado === 'en-revision'
  await applyTransition(
    tx,
    { id: entryId, at },
    isWaiting ? undefined : { from: estado, to: 'en-revision', note: null },
    ENTRANT,
  )
  return true
}
