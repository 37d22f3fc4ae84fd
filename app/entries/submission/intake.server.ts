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

/** A document that has just been stored. */
export interface NewDocument {
  clase: DocumentKind
  lado: VoterCardSide | null
  path: string
  /** File name on the entrant's device. */
  nombreArchivo: string
  contentType: string
  bytes: number
  sha256: string
}

/** A whole entry, whose objects are stored already. */
export interface NewEntry {
  tipo: EntryType
  /** Year of the edition. */
  edicion: number
  folio: string
  /** Id in the form's own table, reserved beforehand since the folder's name begins with it. */
  id: number
  carpeta: string
  metadataPath: string
  datos: Data
  documentos: readonly NewDocument[]
  /** Moment of arrival, by the site's clock. */
  at: Date
}

/** Reserves an id of the form's own table, for the folder's name, before there is a row. */
export async function reserveId(db: Database, type: EntryType): Promise<number> {
  const { tabla } = FORMS[type]
  const reserved = await sql<{ id: number }>`select nextval(pg_get_serial_sequence(${tabla}, 'id')) as id`.execute(db)
  return reserved.rows[0]!.id
}

/**
 * Inserts a registration with all its documents, within the caller's transaction. If an email was given, mail with the folio is
 * queued.
 * @returns the entry's id
 */
export async function insertEntry(tx: Database, newOne: NewEntry, sender: MailSender): Promise<number> {
  const { tipo, edicion, folio, datos, at } = newOne
  const forma = FORMS[tipo]
  const summary = summaryOf(forma, datos)
  const { id } = await tx
    .insertInto('inscripciones')
    .values({ tipo, edicion, folio, ...summary, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const fila = {
    ...{
      id: newOne.id,
      inscripcion_id: id,
      carpeta: newOne.carpeta,
      metadata_path: newOne.metadataPath,
      created_at: at,
    },
    ...datos,
  }
  // The form's field descriptors name further columns, which the table types do not include.
  await tx
    .insertInto(forma.tabla)
    .values(fila as never)
    .execute()
  await insertDocuments(tx, id, newOne.documentos, at)
  const letter = entryReceivedLetter(tipo, folio)
  if (summary.correo !== null && (await mayBeTold(tx, letter.kind, summary.correo)))
    await queueMail(tx, {
      ...letter,
      ...{ to: summary.correo, remite: sender, inscripcion: id },
      idempotencyKey: `inscripcion:${folio}`,
    })
  return id
}

/** Most mails with a folio per mailbox and day: a form may carry a stranger's address, and the screen shows every folio. */
const MAX_FOLIOS_PER_DAY = 3

/** Whether a mailbox, however its address is written, may get one more folio today. */
async function mayBeTold(tx: Database, kind: string, email: string): Promise<boolean> {
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
      documents.map(({ clase, lado, path, nombreArchivo, contentType, bytes, sha256 }) => ({
        ...{ inscripcion_id: entry, clase, lado, path, sha256, recibido_at: at },
        ...{ nombre_archivo: nombreArchivo, content_type: contentType, size_bytes: bytes },
      })),
    )
    .execute()
}

/** A document that answers a document request, and replaces another one. */
export interface DocumentReplacement {
  tipo: EntryType
  inscripcion: number
  solicitud: number
  /** Paths of the replaced document and metadata; if one is not current any more, another change was first. */
  antes: { documento: string; metadata: string }
  metadataPath: string
  documentos: readonly NewDocument[]
  /** Moment of arrival, by the site's clock. */
  at: Date
}

/** Actor of an entrant, who needs no account to send a requested document. */
const ENTRANT: Actor = { quien: null, desde: 'folio' }

/**
 * Stores a requested document, within the caller's transaction. The replaced one stays in the history; the answer to the last
 * open request returns the entry to the organisers' review.
 * @returns false when another change was first, or the request was withdrawn: the caller rolls back
 */
export async function replaceDocument(tx: Database, replacement: DocumentReplacement): Promise<boolean> {
  const { tipo, inscripcion, solicitud, antes, at } = replacement
  const entry = await tx
    .selectFrom('inscripciones')
    .select('estado')
    .where('id', '=', inscripcion)
    .forUpdate()
    .executeTakeFirst()
  if (entry === undefined) return false
  const answered = await tx
    .updateTable('solicitudes')
    .set({ cumplida_at: at })
    .where('id', '=', solicitud)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .executeTakeFirstOrThrow()
  const replaced = await tx
    .updateTable('documentos')
    .set({ reemplazado_at: at })
    .where('inscripcion_id', '=', inscripcion)
    .where('path', '=', antes.documento)
    .where('reemplazado_at', 'is', null)
    .executeTakeFirstOrThrow()
  const moved = await tx
    .updateTable(FORMS[tipo].tabla)
    .set({ metadata_path: replacement.metadataPath })
    .where('inscripcion_id', '=', inscripcion)
    .where('metadata_path', '=', antes.metadata)
    .executeTakeFirstOrThrow()
  if ([answered, replaced, moved].some(({ numUpdatedRows }) => numUpdatedRows !== 1n)) return false
  await insertDocuments(tx, inscripcion, replacement.documentos, at)
  const missing = await tx
    .selectFrom('solicitudes')
    .select('id')
    .where('inscripcion_id', '=', inscripcion)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const { estado } = entry
  const isWaiting = missing !== undefined || estado === 'en-revision'
  await applyTransition(
    tx,
    { id: inscripcion, at },
    isWaiting ? undefined : { de: estado, a: 'en-revision', nota: null },
    ENTRANT,
  )
  return true
}
